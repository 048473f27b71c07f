import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { ToolProgress } from '../../../src/tools/tool-source.js';
import { call, fixtureServer, openTools, shareFixtureTools, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

/** For tests that do not end the server. */
const shared = shareFixtureTools();

it('notifies the server of an abort and removes its listeners', async () => {
  const { tools, journal } = shared;
  await tools.listTools();
  const controller = new AbortController();
  const reason = new Error('enough');
  const pending = call(tools, 'silent', {}, controller);
  await call(tools, 'echo', { text: 'a' }, controller);
  controller.abort(reason);

  await expect(pending).rejects.toBe(reason);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  await until(async () => (await journal()).includes('cancelled number Error: enough'));
});

it('sends nothing for a call that is already aborted', async () => {
  const { config, journal } = await fixtureServer();
  const reason = new Error('too late');
  await expect(
    call(openTools({ fixture: config }), 'echo', {}, { signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
  expect(await journal()).toEqual([]);
});

it('cancels a call after the inactivity timeout of its server', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: { ...config, timeout: 100 } }, { timeout: 60_000 });
  expect(await call(tools, 'silent')).toEqual({
    type: 'error-text',
    value:
      'MCP server "fixture" did not respond to tool "silent" within 100 ms. The tool "silent" may or may not have been executed.',
  });
  await until(async () => (await journal()).some(entry => entry.startsWith('cancelled')));
});

it('extends the timeout while a tool reports progress', async () => {
  const { config } = await fixtureServer();
  const tools = openTools({ fixture: config }, { timeout: 3000 });
  expect(await call(tools, 'progress', { steps: 8, pause: 450 })).toEqual({ type: 'text', value: '8 steps' });
});

it('ends a call at the total limit despite its progress', async () => {
  const { config } = await fixtureServer();
  const tools = openTools({ fixture: config }, { totalTimeout: 150 });
  expect(await call(tools, 'progress', { steps: 100, pause: 20 })).toEqual({
    type: 'error-text',
    value:
      'MCP server "fixture" exceeded the total limit of 150 ms for tool "progress". The tool "progress" may or may not have been executed.',
  });
});

it('returns a JSON-RPC error as text without its code', async () => {
  expect(await call(shared.tools, 'refuse')).toEqual({
    type: 'error-text',
    value: 'MCP server "fixture" reported an error for tool "refuse": This tool is closed on Sundays.',
  });
});

it('reports a crash with the last output of the server, without its secrets', async () => {
  const { config } = await fixtureServer('plain', { FIXTURE_SECRET: 'swordfish-42' });
  const { value, type } = await call(openTools({ fixture: config }), 'crash');
  expect(type).toBe('error-text');
  expect(value).toBe(
    'MCP server "fixture" closed the connection (exit code 5). The tool "crash" may or may not have been executed. ' +
      'Its last output was: about to fall over, password=[redacted] and [redacted]',
  );
});

it('restarts a crashed server for the next call, but does not retry a call that may have run', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: config });
  expect((await call(tools, 'crash')).type).toBe('error-text');
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
  expect(await call(tools, 'echo', { text: 'b' })).toEqual({ type: 'text', value: 'echo b' });
});

it('retries an idempotent call of a trusted server once after a crash', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: { ...config, trustAnnotations: true } });
  expect(await call(tools, 'crash-first')).toEqual({ type: 'text', value: 'second time lucky' });
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
});

it('does not retry a call that only an untrusted server calls idempotent', async () => {
  const { config, journal } = await fixtureServer();
  expect(await call(openTools({ fixture: config }), 'crash-first')).toMatchObject({
    value: expect.stringContaining('may or may not have been executed'),
  });
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it.each([
  ['does not repeat a call if the route to its server is lost while its answer is read', 'read', 1],
  ['repeats a call if there is no route to its server', 'connect', 2],
])('%s', async (_title, syscall, count) => {
  const server = await startHttpServer();
  let failures = 0;
  const tools = openTools(
    { web: { url: server.url, type: 'http' } },
    {
      async fetch(url, init) {
        const response = await fetch(url, init);
        if (!String(init?.body).includes('"write"') || failures++ > 0) return response;
        const cause = Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: 'EHOSTUNREACH', syscall });
        throw new TypeError('fetch failed', { cause });
      },
    },
  );
  await call(tools, 'write');
  expect(server.requests.filter(({ action }) => action === 'write')).toHaveLength(count);
});

it('starts nothing for a call whose tool is compared with its fingerprint while the source is closed', async () => {
  const { config, journal } = await fixtureServer();
  const reviewed = openTools({ fixture: config });
  const fingerprints = await reviewed.fingerprints();
  await reviewed.close();
  const tools = openTools({ fixture: config }, { fingerprints });
  await tools.listTools();
  const refused = expect(call(tools, 'silent')).rejects.toMatchObject({ code: 'closed' });
  await tools.close();
  await refused;
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
});

it('fails running calls when the source is closed, and starts nothing for them', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: config });
  await tools.listTools();
  const pending = call(tools, 'silent');
  await tools.close();
  expect((await pending).type).toBe('error-text');
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it('passes on the progress that a server reports', async () => {
  const reports: ToolProgress[] = [];
  const output = await shared.tools.callTool(
    { toolCallId: 'c1', toolName: 'progress', input: { steps: 3, pause: 5 } },
    { signal: new AbortController().signal, onProgress: progress => reports.push(progress) },
  );
  expect(output).toEqual({ type: 'text', value: '3 steps' });
  expect(reports.map(({ progress }) => progress)).toEqual([1, 2, 3]);
});
