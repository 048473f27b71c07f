import { describe, expect, it } from 'vitest';
import { call, fixtureServer, isAlive, openTools, startedPid } from './_fixture-server.js';

describe('close', () => {
  it('is quick for a server that ends with its input', async () => {
    const { config, journal } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await tools.listTools();
    const start = performance.now();
    await tools.close();
    expect(performance.now() - start).toBeLessThan(400);
    expect(await isAlive(await startedPid(journal))).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('ends what the server has started, too', async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    const pid = Number((await call(tools, 'grandchild')).value);
    expect(await isAlive(pid)).toBe(true);
    await tools.close();
    expect(await isAlive(pid)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('ends a server behind a shell that ignores SIGTERM', async () => {
    const { config, journal } = await fixtureServer();
    const server = [config.command, ...(config.args ?? [])].map(word => `'${word}'`).join(' ');
    const tools = openTools({
      fixture: { ...config, command: 'sh', args: ['-c', `trap '' TERM; ${server}; sleep 60`] },
    });
    await tools.listTools();
    const start = performance.now();
    await tools.close();
    expect(performance.now() - start).toBeLessThan(2500);
    expect(await isAlive(await startedPid(journal))).toBe(false);
  });
});

it.skipIf(process.platform === 'win32')(
  'notices an exit although a grandchild holds the output',
  async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await tools.listTools();
    const start = performance.now();
    expect((await call(tools, 'leave-grandchild')).type).toBe('error-text');
    expect(performance.now() - start).toBeLessThan(1000);
  },
);

it('listens for the signals that end this process only while a server runs', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'];
  const count = () => signals.map(signal => process.listenerCount(signal));
  const before = count();
  const [first, second] = [await fixtureServer(), await fixtureServer()];
  const tools = openTools({ first: first.config, second: second.config });
  await tools.listTools();
  expect(count()).toEqual(before.map(number => number + 1));
  await tools.close();
  expect(count()).toEqual(before);
});

it('takes results of many megabytes', async () => {
  const { config } = await fixtureServer();
  const { value } = await call(openTools({ fixture: config }), 'big', { size: 20_000_000 });
  expect(value).toHaveLength(20_000_000);
});
