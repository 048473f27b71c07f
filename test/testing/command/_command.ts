import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const script = path.join(root, 'dist/testing/command/index.js');

/** A folder in which the package is installed, to start its command from there, as its users do. */
const installed = process.env.INSTALLED_IN;

interface Options {
  /** Environment of the command, in place of that of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

function start(args: readonly string[], { env = {} }: Options): ChildProcess {
  const command = installed === undefined ? [process.execPath, script] : ['npx', '--no', 'kelivo-responses'];
  const [program = '', ...before] = command;
  return spawn(program, [...before, ...args], {
    cwd: installed ?? root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npx starts the command as a process of its own, which ends with its group.
    detached: installed !== undefined,
  });
}

/** Runs the command until it ends. */
export async function runCommand(args: readonly string[], options: Options = {}) {
  const child = start(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Runs a command with `--json` and returns the object that it prints. */
export async function runForJson(args: readonly string[], options: Options = {}) {
  const { stdout, stderr, ...result } = await runCommand([...args, '--json'], options);
  if (stdout === '') throw new Error(`Expected JSON, got ${stderr}`);
  return { ...result, stderr, json: JSON.parse(stdout) };
}

/** Starts `kelivo-responses emulator` and waits for its first line. */
export async function startEmulatorProcess(args: readonly string[] = [], options: Options = {}) {
  const child = start(['emulator', ...args], options);
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  let stdout = '';
  const baseURL = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const [line, rest] = stdout.split('\n');
      if (line !== undefined && rest !== undefined) resolve(line);
    });
    closed.then(([code]) => reject(new Error(`The emulator ended with ${code}.`)), reject);
  });
  const stop = async () => {
    if (installed === undefined) child.kill('SIGKILL');
    else process.kill(-Number(child.pid), 'SIGKILL');
    await closed;
  };
  return { child, baseURL, closed, stop, output: () => stdout };
}

/** Starts an emulator that ends with the test. */
export async function startEmulator(args: readonly string[] = []) {
  const emulator = await startEmulatorProcess(args);
  onTestFinished(emulator.stop);
  return emulator;
}

/** Writes a file that is removed after the test, and returns its path. */
export async function writeTemporary(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-command-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}
