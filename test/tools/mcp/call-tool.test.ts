import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { call, fixtureServer, openTools, until } from './_fixture-server.js';

it('tells the server of an abort and leaves no listener behind', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: config });
  await tools.listTools();
  const controller = new AbortController();
  const reason = new Error('enough');
  const pending = call(tools, 'silent', {}, controller);
  await call(tools, 'echo', { text: 'a' }, controller);
  setTimeout(() => controller.abort(reason), 20);

  await expect(pending).rejects.toBe(reason);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  await until(async () => (await journal()).includes('cancelled number Error: enough'));
});

it('sends nothing for a call that was aborted before', async () => {
  const { config, journal } = await fixtureServer();
  const reason = new Error('too late');
  await expect(
    call(openTools({ fixture: config }), 'echo', {}, { signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
  expect(await journal()).toEqual([]);
});

it('gives a call up after silence for the time of its server', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: { ...config, timeout: 100 } }, { timeout: 60_000 });
  expect(await call(tools, 'silent')).toEqual({
    type: 'error-text',
    value: 'MCP server "fixture" did not answer tool "silent" within 100 ms.',
  });
  await until(async () => (await journal()).some(entry => entry.startsWith('cancelled')));
});

it('waits on while a tool reports progress', async () => {
  const { config } = await fixtureServer();
  const tools = openTools({ fixture: config }, { timeout: 200 });
  expect(await call(tools, 'progress', { steps: 6, pause: 60 })).toEqual({ type: 'text', value: '6 steps' });
});

it('ends a call at the total limit in spite of its progress', async () => {
  const { config } = await fixtureServer();
  const tools = openTools({ fixture: config }, { totalTimeout: 150 });
  expect(await call(tools, 'progress', { steps: 100, pause: 20 })).toEqual({
    type: 'error-text',
    value: 'MCP server "fixture" was stopped at tool "progress" after the total limit of 150 ms.',
  });
});

it('gives a JSON-RPC error as text without its code', async () => {
  const { config } = await fixtureServer();
  expect(await call(openTools({ fixture: config }), 'refuse')).toEqual({
    type: 'error-text',
    value: 'MCP server "fixture" reported an error for tool "refuse": This tool is closed on Sundays.',
  });
});

it('tells of a crash with the last words of the server, but not its secrets', async () => {
  const { config } = await fixtureServer('plain', { FIXTURE_SECRET: 'swordfish-42' });
  const { value, type } = await call(openTools({ fixture: config }), 'crash');
  expect(type).toBe('error-text');
  expect(value).toBe(
    'MCP server "fixture" closed the connection (exit code 5); the tool "crash" may or may not have been executed. ' +
      'It last wrote: about to fall over, password=[redacted] and [redacted]',
  );
});

it('starts a crashed server again for the next call, but repeats no call that may have run', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: config });
  expect((await call(tools, 'crash')).type).toBe('error-text');
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
  expect(await call(tools, 'echo', { text: 'b' })).toEqual({ type: 'text', value: 'echo b' });
});

it('repeats an idempotent call after a crash, once', async () => {
  const { config, journal } = await fixtureServer();
  expect(await call(openTools({ fixture: config }), 'crash-first')).toEqual({
    type: 'text',
    value: 'second time lucky',
  });
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
});

it('answers calls in flight when the source is closed, and starts nothing anew for them', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: config });
  await tools.listTools();
  const pending = call(tools, 'silent');
  await tools.close();
  expect((await pending).type).toBe('error-text');
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});
