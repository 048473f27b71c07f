import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';
import { fixtureServer, isAlive, until } from '../tools/mcp/_fixture-server.js';

const script = fileURLToPath(new URL('_abandoned-stream.ts', import.meta.url));

it('lets a process end after an aborted stream without `close()`, and its MCP server with it', async () => {
  const emulator = await startEmulator();
  const { config, journal } = await fixtureServer();
  emulator.enqueue([{ call: 'silent' }]);
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', script, emulator.baseURL, JSON.stringify(config)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const errors = text(child.stderr);
  const [line] = await once(child.stdout, 'data');
  expect(String(line)).toBe('abort\n');

  const [exitCode] = await once(child, 'exit');
  expect(await errors).toBe('');
  expect(exitCode).toBe(0);
  const pid = Number((await journal()).find(line => line.startsWith('start '))?.slice('start '.length));
  expect(pid).toBeGreaterThan(0);
  await until(async () => !(await isAlive(pid)));
});
