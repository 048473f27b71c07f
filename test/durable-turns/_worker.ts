import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A process that runs durable turns, in a process group with its MCP servers. */
export interface Worker {
  /** Resolves when it has printed a line that contains this text. Rejects if it ends before. */
  untilPrinted(line: string): Promise<void>;
  /** The lines that it has printed. */
  lines(): string[];
  /** Resolves when it has ended by itself. Rejects if it failed or printed errors. */
  untilEnd(): Promise<void>;
  /** Kills the process and its MCP servers with SIGKILL. Rejects if it has ended before. */
  kill(): Promise<void>;
  /** Asks it to end, and resolves when it has. */
  stop(): Promise<void>;
}

/** Starts a process that the test kills at its end. */
export function startWorker(
  command: string,
  args: readonly string[],
  { env = {}, cwd }: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Worker {
  const child = spawn(command, args, {
    ...{ cwd, env: { ...process.env, ...env }, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const errors = text(child.stderr);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', chunk => (printed += chunk));
  const killGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  onTestFinished(killGroup);

  async function untilEnd(): Promise<void> {
    const [code] = await exit;
    const output = await errors;
    if (code !== 0 || output !== '') throw new Error(`The worker ended with code ${code}: ${output}`);
  }

  return {
    untilEnd,
    lines: () => printed.split('\n').filter(line => line !== ''),
    async untilPrinted(line) {
      const ended = exit.then(() => true);
      while (!printed.includes(line)) {
        const isOver = await Promise.race([ended, once(child.stdout, 'data').then(() => false)]);
        if (isOver) throw new Error(`The worker ended before it printed "${line}": ${await errors}`);
      }
    },
    async kill() {
      killGroup();
      const [code, signal] = await exit;
      if (signal !== 'SIGKILL') throw new Error(`The worker had ended with code ${code}: ${await errors}`);
    },
    async stop() {
      child.kill();
      await untilEnd();
    },
  };
}
