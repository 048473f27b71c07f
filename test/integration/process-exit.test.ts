import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { bundleScript } from '../_bundled-script.js';
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

it('lets a process end while it keeps a WebSocket without a running response', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ text: 'Done.' }]);
  const program = await bundleScript(new URL('_kept-connection.ts', import.meta.url));
  const child = spawn(process.execPath, [program, emulator.baseURL], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [exitCode] = await once(child, 'exit');
  expect({ output: await output, errors: await errors, exitCode }).toEqual({
    output: 'Done.\n',
    errors: '',
    exitCode: 0,
  });
  expect(emulator.requests.map(({ connection }) => connection)).toEqual([1]);
});
