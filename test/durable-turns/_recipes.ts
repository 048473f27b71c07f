import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const folderOf = (name: string): string =>
  fileURLToPath(new URL(`../../playground/recipes/${name}`, import.meta.url));

/** The folders of the recipes. */
export const recipes = {
  ...{ dbos: folderOf('dbos'), restate: folderOf('restate'), resumableChat: folderOf('resumable-chat') },
};

/** A registry can stop to answer within a download. npm then waits without a limit, also after `SIGTERM`. */
const limits = { timeout: 150_000, killSignal: 'SIGKILL' } as const;

/**
 * Installs the locked packages of a recipe unless they are installed, at the second attempt with what the first one has
 * downloaded. Returns the reason if that fails.
 */
export async function installRecipe(folder: string): Promise<string | undefined> {
  if (isInstalled(folder)) return undefined;
  const install = () => execute('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, ...limits });
  try {
    await install().catch(install);
    return undefined;
  } catch (error) {
    return `npm ci in ${path.basename(folder)}: ${String(error).split('\n', 8).join(' ')}`;
  }
}

/** Returns true for an installed recipe: npm writes a copy of the lock file when it has installed all packages. */
export function isInstalled(folder: string): boolean {
  try {
    const { mtimeMs } = statSync(path.join(folder, 'node_modules/.package-lock.json'));
    return mtimeMs >= statSync(path.join(folder, 'package-lock.json')).mtimeMs;
  } catch {
    return false;
  }
}

/** Checks the types of a recipe with its own packages. Rejects with the errors. */
export async function checkTypes(folder: string): Promise<void> {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  await execute(process.execPath, [tsc, '--noEmit', '-p', folder]).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
}
