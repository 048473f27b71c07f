import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  readonly file: string;
  /** A file of the project, or the name of a package. */
  readonly target: string;
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .map(file => join(folder, file));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Import[] = [];
  const add = (specifier: string, isType: boolean, isDynamic: boolean) => {
    const target = specifier.startsWith('.')
      ? relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts')
      : specifier;
    found.push({ file, target, isType, isDynamic });
  };
  for (const [, clause = '', specifier = ''] of text.matchAll(
    /^(?:import|export)\s([^'"]*?)from\s*'([^']+)'/gms,
  )) {
    const names = clause.replace(/[{}\s]+/g, ' ').trim();
    add(
      specifier,
      /^type\b/.test(clause) ||
        names
          .split(',')
          .filter(Boolean)
          .every(name => /^ ?type\b/.test(name)),
      false,
    );
  }
  for (const [, specifier = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) add(specifier, false, true);
  return found;
}

const files = sourceFiles('src');
const imports = files.flatMap(importsOf);

/** The layer of a file: the longest of these folders that contains it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/shared': [],
  'src/http': ['src/shared'],
  'src/parts': ['src/shared'],
  'src/tool-calls': ['src/shared'],
  'src/tools': ['src/parts', 'src/tool-calls', 'src/shared'],
  'src/tools/mcp': ['src/tools', 'src/tool-calls', 'src/http', 'src/shared'],
  'src/responses': ['src/http', 'src/tool-calls', 'src/parts', 'src/shared'],
  'src/text-tools': ['src/tool-calls', 'src/parts', 'src/shared'],
  'src/adapters': ['src/text-tools', 'src/tool-calls', 'src/parts', 'src/shared'],
  'src/embeddings': ['src/http', 'src/shared'],
  'src/tool-loop': ['src/tools', 'src/tool-calls', 'src/parts', 'src/http', 'src/shared'],
  'src/testing': ['src/shared'],
  'src/provider': [
    'src/adapters',
    'src/embeddings',
    'src/http',
    'src/responses',
    'src/tool-loop',
    'src/tools',
    'src/tools/mcp',
    'src/shared',
  ],
  'src/v3': ['src/provider', 'src/embeddings', 'src/parts', 'src/shared'],
  'src/host': [
    'src/provider',
    'src/tool-loop',
    'src/adapters',
    'src/embeddings',
    'src/http',
    'src/responses',
    'src/tools',
    'src/tools/mcp',
    'src/tool-calls',
    'src/parts',
    'src/shared',
    'src/v3',
  ],
};

const layerOf = (file: string): string =>
  Object.keys(MAY_IMPORT)
    .filter(folder => file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0] ?? 'src';

const describe = ({ file, target }: Import) => `${file} → ${target}`;

test('imports go one way through the layers', () => {
  const wrong = imports.filter(({ file, target }) => {
    if (!target.startsWith('src/')) return false;
    const layer = layerOf(file);
    return layer !== 'src' && layerOf(target) !== layer && !MAY_IMPORT[layer]?.includes(layerOf(target));
  });
  expect(wrong.map(describe)).toEqual([]);
});

test('every folder of src is a layer of the design', () => {
  const folders = new Set(
    files.map(file => file.split('/').slice(0, 2).join('/')).filter(path => !path.endsWith('.ts')),
  );
  expect([...folders].filter(folder => !(folder in MAY_IMPORT))).toEqual([]);
});

test('a package is imported by its own layer alone', () => {
  const owners: Readonly<Record<string, string>> = {
    '@modelcontextprotocol/sdk': 'src/tools/mcp/',
    '@ai-sdk/openai': 'src/host/',
    ai: 'nowhere: the host brings it',
    jsonrepair: 'src/tool-calls/',
  };
  const wrong = imports.filter(({ file, target }) =>
    Object.entries(owners).some(
      ([name, owner]) => (target === name || target.startsWith(`${name}/`)) && !file.startsWith(owner),
    ),
  );
  expect(wrong.map(describe)).toEqual([]);
});

test('no file imports itself by a detour', () => {
  const next = new Map(
    files.map(file => [file, imports.filter(one => one.file === file).map(one => one.target)]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test.each([
  'src/index.ts',
  // Loaded by the main entry when a model is first called.
  'src/provider/compose-model.ts',
  'src/responses/model.ts',
  'src/tool-loop/index.ts',
  'src/adapters/index.ts',
  'src/tool-calls/index.ts',
  'src/v3/index.ts',
  'src/host/index.ts',
])('%s reaches no Node built-in statically, nor the MCP SDK', entry => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const one of imports) if (one.file === file && !one.isType && !one.isDynamic) visit(one.target);
  };
  visit(entry);
  const foreign = [...reached].filter(
    name =>
      name.startsWith('node:') || builtinModules.includes(name) || name.startsWith('@modelcontextprotocol/'),
  );
  expect(reached.size).toBeGreaterThan(10);
  expect(foreign).toEqual([]);
});

/** Lists of a family or a tool per line, which registries read as a namespace. */
const LISTS = ['src/adapters/families.ts', 'src/responses/hosted-tools/tools.ts'];

test('only the entries and the lists re-export', () => {
  const exporting = files.filter(file =>
    /^export\s[^'"]*?from\s*'/ms.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(exporting.filter(file => !file.endsWith('/index.ts'))).toEqual(LISTS);
});

test('the playground imports the package by its name', () => {
  const own = sourceFiles('playground').flatMap(importsOf);
  expect(
    own.filter(({ target }) => target.startsWith('src/') || target.startsWith('dist/')).map(describe),
  ).toEqual([]);
});
