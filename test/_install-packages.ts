import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Suites with packages that have a lock file of their own. */
export const installedFolders: Readonly<Record<string, string>> = {
  'host-matrix': 'test/host-matrix/ai-core-2',
  playground: 'playground',
};

/** Installs the packages of folders unless they are installed. Returns the reason if that fails. */
export async function installPackages(...folders: readonly string[]): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, ['.install.mjs', ...folders], { cwd: root });
    return undefined;
  } catch (error) {
    return (error as { stderr: string }).stderr.trim().split('\n').slice(-8).join(' ');
  }
}

/** Installs the packages of all tests, and those of a suite. */
export default async function setup({ name }: TestProject): Promise<void> {
  const reason = await installPackages('test', ...[installedFolders[name] ?? []].flat());
  if (reason !== undefined) throw new Error(reason);
}
