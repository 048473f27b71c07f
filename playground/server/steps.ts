import { spawn } from 'node:child_process';

export interface Step {
  readonly title: string;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
}

export interface RunStepsOptions {
  /** Writes one line. @default the standard error */
  readonly print?: (line: string) => void;
  /** Milliseconds after which a step says that it still runs. */
  readonly interval?: number;
  /** Ends the running step. */
  readonly signal?: AbortSignal;
}

/** Runs programs one after the other, and prints each with its time. Returns the exit code of the first that fails, or 0. */
export async function runSteps(
  steps: readonly Step[],
  { print = line => console.error(line), interval = 10_000, signal }: RunStepsOptions = {},
): Promise<number> {
  for (const [index, { title, command }] of steps.entries()) {
    const startedAt = performance.now();
    const elapsed = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    const name = `[${index + 1}/${steps.length}] ${title}`;
    print(`${name} …`);
    const timer = setInterval(() => print(`${name} … ${elapsed()}`), interval);
    const code = await run(command, signal).finally(() => clearInterval(timer));
    print(`${name}: ${code === 0 ? 'done' : 'failed'} after ${elapsed()}`);
    if (code !== 0) return code;
  }
  return 0;
}

/** Standard input is closed: no step asks for anything. */
function run([program, ...args]: Step['command'], signal: AbortSignal | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32';
    const child = spawn(program, args, { stdio: ['ignore', 2, 2], shell });
    signal?.addEventListener('abort', () => child.kill());
    child.once('error', reject);
    child.once('exit', code => resolve(code ?? 1));
  });
}
