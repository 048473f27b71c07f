import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

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
}

/** Runs what `npm run demo -- …` runs. */
export async function runDemo(
  args: readonly string[],
  { env, interruptAt }: DemoRunOptions = {},
): Promise<DemoRun> {
  const demo = spawn(process.execPath, [tsx, 'playground/terminal/demo.ts', ...args], {
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

function environment(): NodeJS.ProcessEnv {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, INIT_CWD: _folder, ...rest } = process.env;
  return rest;
}
