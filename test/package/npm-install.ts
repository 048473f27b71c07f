import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A registry can stop to answer within a download. npm then waits without a limit, also after `SIGTERM`. */
const limits = { timeout: 300_000, killSignal: 'SIGKILL' } as const;

/** Installs packages into a temporary folder, at the second attempt with what the first one has downloaded. */
export async function npmInstall(folder: string, args: readonly string[]): Promise<void> {
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  const install = () =>
    promisify(execFile)('npm', ['install', ...options, ...args], { cwd: folder, ...limits });
  await install().catch(install);
}
