import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from './manifest.js';

/**
 * Packs a package, by default this one, as npm would publish it and returns the path of the archive. Packs the existing
 * build: npm's own scripts would rebuild `dist` while other processes read it.
 */
export async function pack(folder: string, source = root): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: source });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(folder, filename);
}
