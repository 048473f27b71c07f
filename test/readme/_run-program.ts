import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProgramRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a file with Node, after another one, in a folder and with no other variables than those that are given. */
export async function runProgram(
  file: string,
  { after, cwd, env, timeout }: { after: string; cwd: string; env: Record<string, string>; timeout: number },
): Promise<ProgramRun> {
  const child = spawn(process.execPath, ['--import', after, file], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      output[name] += piece;
    });
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, ...output };
}
