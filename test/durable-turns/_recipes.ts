import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const folderOf = (name: string): string =>
  fileURLToPath(new URL(`../../playground/recipes/${name}`, import.meta.url));

/** The folders of the recipes. */
export const recipes = {
  ...{ dbos: folderOf('dbos'), restate: folderOf('restate'), resumableChat: folderOf('resumable-chat') },
  pageDialogs: folderOf('page-dialogs'),
};

/** Returns true for an installed recipe. */
export const isInstalled = (folder: string): boolean =>
  existsSync(path.join(folder, 'node_modules/.installed'));

/** Checks the types of a recipe with its own packages. Rejects with the errors. */
export async function checkTypes(folder: string): Promise<void> {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  await execute(process.execPath, [tsc, '--noEmit', '-p', folder]).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
}
