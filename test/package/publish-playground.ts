// Part of `npm run release:publish`: publishes the playground unless the registry has this version.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { manifest, root } from './manifest.js';

const { stdout } = spawnSync('npm', ['view', `${manifest.name}-playground@${manifest.version}`, 'version'], {
  encoding: 'utf8',
});
if (stdout.trim() !== manifest.version) {
  const { status } = spawnSync('npm', ['publish'], { cwd: path.join(root, 'playground'), stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
