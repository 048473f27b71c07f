import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds `dist` for the suites that import the package by its name. Does nothing if it is up to date. */
export default function setup(): void {
  execFileSync(process.execPath, ['.build.mjs'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
  });
}
