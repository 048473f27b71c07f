import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleScript } from '../../_bundled-script.js';

const source = 'playground/terminal/demo.ts';
const tsx = createRequire(import.meta.url).resolve('tsx/cli');
const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface DemoRun {
  readonly exitCode: number | null;
  /** Without the line end. */
  readonly stdout: string;
  readonly stderr: string;
  /** The chunks in which the output arrived. */
  readonly chunks: readonly string[];
}

export interface DemoRunOptions {
  /** Added to the environment of the test without its `OPENAI_…` variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. @default none */
  readonly input?: string;
  /** Sends SIGINT when the output contains this text. */
  readonly interruptAt?: string;
  /**
   * Compiles the demo at start, as `npm run demo` does. A prebuilt bundle starts four times faster.
   * @default false
   */
  readonly fromSource?: boolean;
}

/** Runs the program of `npm run demo -- …`. */
export async function runDemo(
  args: readonly string[],
  { env, input, interruptAt, fromSource = false }: DemoRunOptions = {},
): Promise<DemoRun> {
  const program = fromSource ? [tsx, source] : [await bundleScript(new URL(source, pathToFileURL(root)))];
  const demo = spawn(process.execPath, [...program, ...args], {
    cwd: root,
    env: { ...environment(), ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  demo.stdin?.end(input);
  onTestFinished(() => void demo.kill('SIGKILL'));
  const chunks: string[] = [];
  let stderr = '';
  demo.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  demo.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const wasPrinted = interruptAt !== undefined && chunks.join('').includes(interruptAt);
    chunks.push(chunk);
    if (interruptAt !== undefined && !wasPrinted && chunks.join('').includes(interruptAt))
      demo.kill('SIGINT');
  });
  const [exitCode] = (await once(demo, 'close')) as [number | null];
  return { exitCode, stdout: chunks.join('').trimEnd(), stderr: stderr.trimEnd(), chunks };
}

/** Creates a folder that is removed after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function environment(): NodeJS.ProcessEnv {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, INIT_CWD: _folder, ...rest } = process.env;
  return rest;
}
