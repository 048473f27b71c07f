import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './manifest.js';

/* The lock files of the repository: nothing is compiled or downloaded by a script, and npm has nothing to warn of. */

/** Packages with an install script that nothing needs, by name, with the reason. */
const UNNEEDED: Readonly<Record<string, string>> = {
  esbuild: 'replaces a launcher by the program, which the launcher finds in a package',
  deno: 'the launcher finds the program in a package',
  workerd: 'the launcher finds the program in a package',
  fsevents: 'contains its program',
  '@scarf/scarf': 'counts installations',
  '@portkey-ai/gateway': 'builds what its archive contains',
  tldjs: 'updates a list that its archive contains',
};

interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
  readonly engines?: { readonly node?: string };
}

const lockFiles = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');

/** Returns the packages of a lock file by their folders, without the folder of the file. */
function readPackages(file: string): [folder: string, locked: LockedPackage][] {
  const { packages } = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages);
}

const nameOf = ([folder, { name }]: [string, LockedPackage]): string =>
  (name ?? folder.split('node_modules/').at(-1) ?? '') || 'the project itself';

describe.each(lockFiles)('%s', file => {
  const packages = readPackages(file);

  it('has no package that needs an install script', () => {
    const scripts = packages.filter(([folder, { hasInstallScript }]) => hasInstallScript && folder !== '..');
    expect([...new Set(scripts.map(nameOf))].filter(name => !(name in UNNEEDED))).toEqual([]);
  });

  it('has no deprecated package', () => {
    expect(packages.filter(([, { deprecated }]) => deprecated !== undefined).map(nameOf)).toEqual([]);
  });
});

it('npm warns of no engine on Node 20 in the folders that the two commands of a clone install', () => {
  for (const file of ['package-lock.json', 'playground/package-lock.json'])
    expect(
      readPackages(file)
        .filter(([, { engines }]) => /^(?:>=|\^) ?(?:2[1-9]|[3-9]\d)/.test(engines?.node ?? ''))
        .map(nameOf),
    ).toEqual([]);
});
