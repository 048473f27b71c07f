// Checks the npm archive with publint and "are the types wrong". Exits with 1 if one reports a problem.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './manifest.js';
import { pack } from './pack.js';

const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-archive-'));
try {
  const archive = await pack(folder);
  check('publint', [archive, '--strict']);
  // The package has no CommonJS build: Node 20.19 and 22 can `require` ES modules.
  check('attw', [archive, '--profile', 'esm-only', '--no-emoji', '--no-color', '--format', 'table-flipped']);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function check(tool: string, args: readonly string[]): void {
  const { status } = spawnSync(path.join(root, '.ci/node_modules/.bin', tool), args, {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
