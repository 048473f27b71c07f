import { expect, it } from 'vitest';
import { call, fixtureServer, isAlive, openTools, startedPid, until } from './_fixture-server.js';

const startsIn = (journal: readonly string[]) => journal.filter(line => line.startsWith('start'));

it('ends a server that nobody has used for long, and starts it again for the next call', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ server: config }, { idleTimeout: 150 });
  expect(await call(tools, 'echo', { text: 'a' })).toMatchObject({ type: 'text' });
  const pid = await startedPid(journal);
  await until(async () => !(await isAlive(pid)));
  expect(tools.status()).toMatchObject([{ state: 'idle' }]);
  expect(await call(tools, 'echo', { text: 'b' })).toMatchObject({ type: 'text' });
  expect(startsIn(await journal())).toHaveLength(2);
});

it('keeps a server that a call is using, however long the call takes', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ server: config }, { idleTimeout: 60 });
  const controller = new AbortController();
  await tools.listTools();
  const silent = call(tools, 'silent', {}, { signal: controller.signal }).catch((reason: unknown) => reason);
  await new Promise(resolve => setTimeout(resolve, 250));
  expect(await isAlive(await startedPid(journal))).toBe(true);
  controller.abort(new Error('enough'));
  expect(await silent).toMatchObject({ message: 'enough' });
  expect(startsIn(await journal())).toHaveLength(1);
});
