import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { manifest } from '../package/manifest.js';
import { npmInstall } from '../package/npm-install.js';
import { pack } from '../package/pack.js';

/** An entry of the package, and the major of `ai` that its models are native to. */
export interface TestedEntry {
  /** Title in the tests and name of the program. */
  readonly name: string;
  readonly specifier: string;
  readonly host: string;
}

export const testedEntries: readonly TestedEntry[] = [
  { name: 'main with ai 5', specifier: manifest.name, host: 'ai5' },
  { name: 'v3 with ai 6', specifier: `${manifest.name}/v3`, host: 'ai6' },
  { name: 'v4 with ai 7', specifier: `${manifest.name}/v4`, host: 'ai7' },
];

const scenarios = fileURLToPath(new URL('_scenarios.mjs', import.meta.url));

/**
 * Installs the packed package in a folder as users do, next to all majors of `ai`, and writes the programs.
 */
export async function installConsumer(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await copyFile(scenarios, path.join(folder, 'scenarios.mjs'));
  const archive = await pack(folder);
  const packages = [archive, 'ai5@npm:ai@5', 'ai6@npm:ai@6', 'ai7@npm:ai@7', 'zod@4'];
  await npmInstall(folder, ['--no-package-lock', '--legacy-peer-deps', ...packages]);
}
