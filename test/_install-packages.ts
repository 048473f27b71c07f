import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

/** Suites with packages that have a lock file of their own. */
export const installedFolders: Readonly<Record<string, string>> = {
  'host-matrix': 'test/host-matrix/ai-core-2',
  playground: 'playground',
};

/** Installs the packages of a suite unless they are installed. */
export default function setup({ name }: TestProject): void {
  execFileSync(process.execPath, ['.install.mjs', installedFolders[name] ?? name], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
  });
}
