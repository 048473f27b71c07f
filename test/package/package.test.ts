import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { entries, manifest, root } from './manifest.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
  readonly link?: boolean;
  readonly license?: string;
}

/** Licences that ask for no more than to be named; of alternatives, one of them is enough. */
const PERMISSIVE = /(?:^|[( ])(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause)(?:$|[) ])/;

/** What `npm publish` would send. */
function listPackedFiles(): string[] {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as [
    { files: { path: string }[] },
  ];
  return packed.files.map(file => file.path);
}

it('packs the built files, the manifest and the README, and nothing else', () => {
  const foreign = listPackedFiles().filter(file => !/^dist\/.+\.(?:js|d\.ts)$/.test(file));
  expect(foreign.sort()).toEqual(['README.md', 'package.json']);
});

it('packs what each entry points to', () => {
  const packed = new Set(listPackedFiles().map(file => `./${file}`));
  expect(entries.length).toBeGreaterThan(5);
  expect(entries.flatMap(({ file, types }) => [file, types]).filter(file => !packed.has(file))).toEqual([]);
});

it('comes with the whole text of the licence that the manifest names', () => {
  expect(manifest.license).toBe('MIT');
  const section = read('README.md').split('\n## Licence\n')[1]?.replace(/\s+/g, ' ');
  expect(section).toContain('Permission is hereby granted, free of charge, to any person obtaining a copy');
  expect(section).toContain('The above copyright notice and this permission notice shall be included');
  expect(section).toContain('THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND');
});

it('brings only dependencies whose licences allow what its own allows', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
  const runtime = Object.entries(packages).filter(
    ([name, { dev, devOptional, peer, link }]) => name !== '' && !dev && !devOptional && !peer && !link,
  );
  const strict = runtime.filter(([, { license = 'none' }]) => !PERMISSIVE.test(license));
  expect(runtime.length).toBeGreaterThan(10);
  expect(strict.map(([name, { license = 'none' }]) => `${name}: ${license}`)).toEqual([]);
});

it('tells MCP servers the version of the manifest', () => {
  const [, version] = /clientInfo = \{ name: '[\w-]+', version: '([^']+)' \}/.exec(
    read('src/tools/mcp/session.ts'),
  ) ?? ['', 'none'];
  expect(version).toBe(manifest.version);
});

it('has a size limit for each entry and for nothing else', () => {
  expect(Object.keys(manifest.bundleLimits).sort()).toEqual(entries.map(entry => entry.path).sort());
});
