/**
 * Installs the packages of folders with a lock file of their own, unless they are installed: the playground's, the
 * documentation site's, and the tools of checks and releases. `npm install` at the root installs none of them.
 *
 *     node .install.mjs playground .ci
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

for (const folder of process.argv.slice(2)) if (!isInstalled(folder)) install(folder);

/** npm writes a copy of the lock file when it has installed all packages. */
function isInstalled(folder) {
  const modified = name =>
    statSync(path.join(import.meta.dirname, folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return modified('node_modules/.package-lock.json') >= modified('package-lock.json');
}

function install(folder) {
  console.error(`Installing the packages of ${folder}/ …`);
  // None of them needs its script. Those of linked packages would build these again.
  const command = `npm ci --ignore-scripts --prefix ${folder}`;
  const { status } = spawnSync(command, { cwd: import.meta.dirname, shell: true, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(
    `Expected the packages of ${folder}/, got an error of npm. Run \`${command}\` with a network.`,
  );
  process.exit(1);
}
