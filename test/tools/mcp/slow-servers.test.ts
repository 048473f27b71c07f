import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createMcpConnectionPool } from '../../../src/tools/mcp/index.js';
import {
  call,
  fixtureServer,
  isAlive,
  namesOf,
  openTools,
  startedPid,
  temporaryFolder,
  until,
} from './_fixture-server.js';

/** Creates a server that is not ready before `open()`. */
async function lateServer(...allowedTools: string[]) {
  const gate = path.join(await temporaryFolder(), 'gate');
  const { config, journal } = await fixtureServer('plain', { FIXTURE_GATE: gate });
  return { config: { ...config, allowedTools }, journal, open: () => writeFile(gate, '') };
}

const goodServer = async (...allowedTools: string[]) => {
  const { config, journal } = await fixtureServer();
  return { config: { ...config, allowedTools }, journal };
};

const stillStarting = (name: string) =>
  `MCP server "${name}" is still starting. Its tools are offered as soon as it is ready.`;

it('is waited for until `startupTimeout`, once, and joins when it is ready', async () => {
  const [late, good] = [await lateServer('echo'), await goodServer('journal')];
  const pool = createMcpConnectionPool({});
  onTestFinished(() => pool.close());
  // The other server is ready before, however long it takes.
  const ready = openTools({ good: good.config }, { pool });
  await until(async () => (await namesOf(ready)).length > 0);
  const tools = openTools({ late: { ...late.config, startupTimeout: 1000 }, good: good.config }, { pool });
  const first = await tools.listTools();
  expect(first.tools.map(({ name }) => name)).toEqual(['journal']);
  expect(first.warnings).toEqual([stillStarting('late')]);
  expect(tools.status().map(({ state }) => state)).toEqual(['connecting', 'ready']);
  for (let turn = 0; turn < 20; turn++) expect(await namesOf(tools)).toEqual(['journal']);

  await late.open();
  await until(() => tools.status()[0]?.state === 'ready');
  await until(async () => (await namesOf(tools)).length === 2);
  expect(await tools.listTools()).toMatchObject({
    tools: [{ name: 'echo' }, { name: 'journal' }],
    warnings: [],
  });
  expect(await call(tools, 'echo', { text: 'a' })).toMatchObject({ value: 'echo a' });
  expect((await late.journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it('keeps starting when the turn that started it is aborted', async () => {
  const late = await lateServer('echo');
  const tools = openTools({ late: late.config }, { startupTimeout: 120_000 });
  const controller = new AbortController();
  const listing = tools.listTools(controller);
  await until(async () => (await late.journal()).length > 0);
  controller.abort(new Error('gone'));
  await expect(listing).rejects.toThrow('gone');
  await late.open();
  expect(await namesOf(tools)).toEqual(['echo']);
  expect((await late.journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it('ends at `close()` while it is starting, and the listing with it', async () => {
  const late = await lateServer();
  const tools = openTools({ late: late.config });
  const listing = tools.listTools();
  await until(async () => (await late.journal()).length > 0);
  const pid = await startedPid(late.journal);
  await Promise.all([expect(listing).rejects.toMatchObject({ code: 'closed' }), tools.close()]);
  expect(await isAlive(pid)).toBe(false);
});

it('delays one turn, and not the one in which it is tried again', async () => {
  const { config } = await fixtureServer('mute');
  const tools = openTools({ mute: config }, { connectTimeout: 3000, startupTimeout: 1000 });
  await tools.listTools();
  await until(() => tools.status()[0]?.state === 'failed');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 31_000);
  expect(await namesOf(tools)).toEqual([]);
  expect(tools.status()[0]?.state).toBe('connecting');
});

it('loses its tools with a warning when it cannot be restarted', async () => {
  const folder = await temporaryFolder();
  const script = path.join(folder, 'server.mjs');
  const { config } = await fixtureServer();
  await writeFile(script, `import ${JSON.stringify(String(config.args?.[0]))};\n`);
  const fixture = { ...config, args: [script], allowedTools: ['crash', 'echo'] };
  const tools = openTools({ fixture }, { startupTimeout: 120_000 });
  expect(await namesOf(tools)).toEqual(['echo', 'crash']);
  await writeFile(script, 'process.exit(7);\n');
  await call(tools, 'crash');
  await until(async () => (await namesOf(tools)).length === 0);
  const { warnings } = await tools.listTools();
  expect(warnings).toEqual([
    expect.stringMatching(/^MCP server "fixture" could not be started: .*exit code 7/),
  ]);
});

it('offers its known tools at once after its connection was idle', async () => {
  const good = await goodServer('echo');
  const gate = path.join(await temporaryFolder(), 'gate');
  await writeFile(gate, '');
  const config = { ...good.config, env: { ...good.config.env, FIXTURE_GATE: gate } };
  const tools = openTools({ good: config }, { idleTimeout: 50, startupTimeout: 120_000 });
  expect(await namesOf(tools)).toEqual(['echo']);
  await until(() => tools.status()[0]?.state === 'idle');
  await rm(gate);
  expect(await namesOf(tools)).toEqual(['echo']);
  expect(tools.status()[0]?.state).toBe('connecting');
});
