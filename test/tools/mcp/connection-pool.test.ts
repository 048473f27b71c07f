import { expect, it, onTestFinished } from 'vitest';
import { createMcpConnectionPool } from '../../../src/tools/mcp/index.js';
import { call, fixtureServer, openTools, until } from './_fixture-server.js';

function openPool() {
  const pool = createMcpConnectionPool();
  onTestFinished(() => pool.close());
  return pool;
}

it('shares one connection among sources with the same server, regardless of its name', async () => {
  const { config, journal } = await fixtureServer();
  const pool = openPool();
  const first = openTools({ one: config }, { pool });
  const second = openTools({ two: { ...config, timeout: 120_000, allowedTools: ['echo'] } }, { pool });
  await Promise.all([first.listTools(), second.listTools()]);
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it('separates servers with different variables', async () => {
  const { config, journal } = await fixtureServer();
  const pool = openPool();
  await openTools({ one: config }, { pool }).listTools();
  await openTools({ one: { ...config, env: { ...config.env, OTHER: 'yes' } } }, { pool }).listTools();
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
});

it('stays open when a source is closed', async () => {
  const { config, journal } = await fixtureServer();
  const pool = openPool();
  const first = openTools({ one: config }, { pool });
  const second = openTools({ one: config }, { pool });
  await first.listTools();
  await first.close();
  expect(await call(second, 'echo', { text: 'c' })).toEqual({ type: 'text', value: 'echo c' });
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it('stops a server that is starting', async () => {
  const { config, journal } = await fixtureServer('mute');
  const pool = openPool();
  const tools = openTools({ mute: config }, { pool });
  const listing = tools.listTools();
  await until(async () => (await journal()).length > 0);
  await pool.close();
  expect((await listing).tools).toEqual([]);
  expect(tools.status()[0]?.state).toBe('idle');
});
