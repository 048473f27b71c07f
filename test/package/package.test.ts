import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';
import * as main from '../../src/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { entries, manifest, root } from './manifest.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Lists a built file and all files that importing it loads. */
function listStaticImports(file: string, loaded: string[] = []): string[] {
  if (loaded.includes(file)) return loaded;
  loaded.push(file);
  for (const [, specifier = ''] of read(file).matchAll(/^(?:import|export) [^'"]*["'](\.[^"']+)["'];$/gm))
    listStaticImports(path.join(path.dirname(file), specifier), loaded);
  return loaded;
}

interface LockedPackage {
  readonly version?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly deprecated?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
  readonly link?: boolean;
  readonly license?: string;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Licences that require attribution only. One of several alternatives is enough. */
const PERMISSIVE = /(?:^|[( ])(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause)(?:$|[) ])/;

/** The files that `npm publish` would upload. */
let packedFiles: readonly string[];
beforeAll(() => {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as [
    { files: { path: string }[] },
  ];
  packedFiles = packed.files.map(file => file.path);
});

it('packs the built files, the manifest and the guides, and nothing else', () => {
  const others = packedFiles.filter(file => !/^dist\/.+\.(?:js|d\.ts)$/.test(file));
  expect(others).toContain('package.json');
  const known = ['package.json', 'LICENSE', '.docs/overview.svg'];
  expect(others.filter(file => !known.includes(file) && !file.endsWith('.md'))).toEqual([]);
  expect(others).toEqual(expect.arrayContaining(['LICENSE', 'CHANGELOG.md', 'SECURITY.md']));
});

it('packs what the links of the packed documents name', () => {
  const packed = new Set(packedFiles);
  const missing = packedFiles
    .filter(file => file.endsWith('.md'))
    .flatMap(file => {
      const prose = read(file).replace(/^```.*?^```$|`[^`\n]*`/gms, '');
      const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
      return links
        .filter(link => !packed.has(path.posix.join(path.posix.dirname(file), link)))
        .map(link => `${file}: ${link}`);
    });
  expect(missing).toEqual([]);
});

it('packs at most 4 MB', () => {
  const sizes = packedFiles.map(file => statSync(path.join(root, file)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(4_000_000);
});

it('packs code that a debugger can show without a source map', () => {
  const chunks = packedFiles.filter(file => file.startsWith('dist/chunks/') && file.endsWith('.js'));
  expect(chunks.length).toBeGreaterThan(10);
  for (const chunk of chunks) {
    const code = read(chunk);
    expect(code).not.toContain('sourceMappingURL');
    // Minified code has few, long lines.
    expect(code.length / code.split('\n').length, chunk).toBeLessThan(120);
  }
});

it('packs the files that each entry points to', () => {
  const packed = new Set(packedFiles.map(file => `./${file}`));
  expect(entries.length).toBeGreaterThan(5);
  expect(entries.flatMap(({ file, types }) => [file, types]).filter(file => !packed.has(file))).toEqual([]);
});

it('replaces files for browsers that exist', () => {
  const files = Object.entries(manifest.browser).flat();
  expect(files).not.toEqual([]);
  expect(files.filter(file => !existsSync(path.join(root, file)))).toEqual([]);
});

it('loads at most nine files when the main entry is imported', () => {
  expect(listStaticImports('dist/index.js').length).toBeLessThanOrEqual(9);
});

it.each([
  '.',
  './tool-loop',
  './models',
  './journal',
  './telemetry',
  './devtools',
  './adapters',
  './tool-calls',
  './embeddings',
  './host',
  './v3',
  './v4',
])('does not load the MCP SDK when %s is imported', name => {
  const file = entries.find(entry => entry.path === name)?.file ?? '';
  const code = listStaticImports(path.normalize(file)).map(read).join('\n');
  expect(code).not.toContain('@modelcontextprotocol/');
});

it('imports OpenTelemetry only in its own entry, not even later', () => {
  const files = readdirSync(path.join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  const importing = files
    .filter(file => file.endsWith('.js'))
    .filter(file => /["']@opentelemetry\//.test(read(path.join('dist', file))));
  expect(importing).toEqual([path.join('telemetry', 'index.js')]);
});

it('imports optional packages where bundlers accept that they are missing', () => {
  const files = readdirSync(path.join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  const optional = Object.keys(manifest.peerDependenciesMeta);
  const found: [name: string, isInTry: boolean][] = [];
  const visit = (node: ts.Node, isInTry: boolean): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteral(name) && optional.includes(name.text))
        found.push([name.text, isInTry]);
    }
    const isBlock = ts.isTryStatement(node.parent) && node.parent.tryBlock === node;
    ts.forEachChild(node, child => visit(child, isBlock || (isInTry && !ts.isFunctionLike(node))));
  };
  for (const file of files.filter(one => one.endsWith('.js'))) {
    const source = ts.createSourceFile(file, read(path.join('dist', file)), ts.ScriptTarget.ES2022, true);
    source.forEachChild(node => visit(node, false));
  }
  expect(Object.fromEntries(found)).toEqual({ '@ai-sdk/openai': true, '@huggingface/jinja': true });
});

it('develops against the earliest supported release of the AI SDK', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as LockFile;
  expect(packages['node_modules/@ai-sdk/provider']?.version).toMatch(/^2\./);
  expect(packages['node_modules/@ai-sdk/provider-utils']?.version).toMatch(/^3\./);
});

it.each(['@ai-sdk/provider', '@ai-sdk/provider-utils'])(
  'imports only functions of %s that its release for each major of `ai` exports',
  async name => {
    const files = readdirSync(path.join(root, 'dist'), { recursive: true, encoding: 'utf8' });
    const imports = new RegExp(`import \\{([^}]*)\\} from ["']${name}["']`, 'g');
    const used = files
      .filter(file => file.endsWith('.js'))
      .flatMap(file => [...read(path.join('dist', file)).matchAll(imports)])
      .flatMap(([, list = '']) => list.split(',').map(item => item.trim().replace(/ as .*/, '')));
    expect(used.length).toBeGreaterThan(5);
    for (const host of ['ai', 'ai6', 'ai7']) {
      const { resolve } = createRequire(path.join(root, 'node_modules', host, 'package.json'));
      const exported = Object.keys((await import(resolve(name))) as object);
      expect(used.filter(item => !exported.includes(item))).toEqual([]);
    }
  },
);

it('contains the full text of the license named in the manifest', () => {
  expect(manifest.license).toBe('MIT');
  const section = read('LICENSE').replace(/\s+/g, ' ');
  expect(section).toContain('Permission is hereby granted, free of charge, to any person obtaining a copy');
  expect(section).toContain('The above copyright notice and this permission notice shall be included');
  expect(section).toContain('THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND');
});

it('depends only on packages with permissive licences', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as LockFile;
  const runtime = Object.entries(packages).filter(
    ([name, { dev, devOptional, peer, link }]) => name !== '' && !dev && !devOptional && !peer && !link,
  );
  const strict = runtime.filter(([, { license = 'none' }]) => !PERMISSIVE.test(license));
  expect(runtime.length).toBeGreaterThan(10);
  expect(strict.map(([name, { license = 'none' }]) => `${name}: ${license}`)).toEqual([]);
});

/** Whether a package is for another platform than Linux on x64. */
const isForeign = ({ optional, os = ['linux'], cpu = ['x64'] }: LockedPackage): boolean =>
  optional === true && (!os.includes('linux') || !cpu.includes('x64'));

it('is developed with at most 500 packages, and none is deprecated', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as LockFile;
  expect(Object.values(packages).filter(one => !isForeign(one)).length).toBeLessThanOrEqual(500);
  const locks = ['', 'playground/', '.ci/', 'test/host-matrix/ai-core-2/'];
  const deprecated = locks.flatMap(folder => {
    const lock = JSON.parse(read(`${folder}package-lock.json`)) as LockFile;
    return Object.entries(lock.packages).filter(([, one]) => one.deprecated !== undefined);
  });
  expect(deprecated.map(([name, one]) => `${name}: ${one.deprecated}`)).toEqual([]);
});

it('releases the playground with the same version', () => {
  const { version, dependencies } = JSON.parse(read('playground/package.json')) as typeof manifest;
  expect([version, dependencies[manifest.name]]).toEqual([manifest.version, `^${manifest.version}`]);
});

it.each([main, v3, v4])('exports the version of the manifest', ({ VERSION }) => {
  expect(VERSION).toBe(manifest.version);
});

it('has a size limit for each entry and no other limits', () => {
  expect(Object.keys(manifest.bundleLimits).sort()).toEqual(entries.map(entry => entry.path).sort());
});
