import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

const source = 'playground/terminal/demo.ts';
const tsx = createRequire(import.meta.url).resolve('tsx/cli');
const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface DemoRun {
  readonly exitCode: number | null;
  /** Without the line end. */
  readonly stdout: string;
  readonly stderr: string;
  /** How many pieces the output came in. */
  readonly pieces: number;
}

export interface DemoRunOptions {
  /** Beside the test's own environment without its `OPENAI_…`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Sends SIGINT once the output has this text. */
  readonly interruptAt?: string;
  /**
   * Compiles the demo at start, exactly as `npm run demo` does. A bundle that is built once starts four times faster.
   * @default false
   */
  readonly fromSource?: boolean;
}

/** Runs what `npm run demo -- …` runs. */
export async function runDemo(
  args: readonly string[],
  { env, interruptAt, fromSource = false }: DemoRunOptions = {},
): Promise<DemoRun> {
  const program = fromSource ? [tsx, source] : [await (bundled ??= bundleDemo())];
  const demo = spawn(process.execPath, [...program, ...args], {
    cwd: root,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void demo.kill('SIGKILL'));
  const pieces: string[] = [];
  let stderr = '';
  demo.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  demo.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const wasThere = interruptAt !== undefined && pieces.join('').includes(interruptAt);
    pieces.push(piece);
    if (interruptAt !== undefined && !wasThere && pieces.join('').includes(interruptAt)) demo.kill('SIGINT');
  });
  const [exitCode] = (await once(demo, 'close')) as [number | null];
  return { exitCode, stdout: pieces.join('').trimEnd(), stderr: stderr.trimEnd(), pieces: pieces.length };
}

/** A folder that the end of the test removes. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

let bundled: Promise<string> | undefined;

/** Bundles the demo inside the package, where it finds the package by its name, and returns the file. */
async function bundleDemo(): Promise<string> {
  const outfile = path.join(root, 'test-results/demo', `demo-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  return outfile;
}

function environment(): NodeJS.ProcessEnv {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, INIT_CWD: _folder, ...rest } = process.env;
  return rest;
}
