import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import {
  dynamicImports,
  filesWithVersions,
  folders,
  type Import,
  importCycles,
  importsOf,
  read,
  sourceFiles,
  weakMaps,
} from './structure.js';

const files = sourceFiles('src');
const imports = files.flatMap(importsOf);

/**
 * The layers, and what each may import besides itself. A file belongs to the longest of these paths that contains it, so
 * that folders inside a layer are separate layers.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/shared': [],
  'src/redaction': ['src/shared'],
  'src/http': ['src/redaction', 'src/core', 'src/shared'],
  'src/core': ['src/shared'],
  'src/tool-calls': ['src/core', 'src/shared'],
  'src/versions': ['src/core', 'src/tool-calls', 'src/shared'],
  'src/tools': ['src/tool-calls', 'src/core', 'src/shared'],
  'src/mcp/config': ['src/tools', 'src/shared'],
  'src/mcp/auth': ['src/mcp/config', 'src/redaction', 'src/shared'],
  'src/mcp/transport': [
    'src/mcp/auth',
    'src/mcp/config',
    'src/http',
    'src/redaction',
    'src/tool-calls',
    'src/shared',
  ],
  'src/mcp/session': [
    'src/mcp/transport',
    'src/mcp/auth',
    'src/mcp/config',
    'src/core',
    'src/tools',
    'src/tool-calls',
    'src/shared',
  ],
  'src/mcp/features': [
    'src/mcp/session',
    'src/mcp/transport',
    'src/mcp/auth',
    'src/mcp/config',
    'src/core',
    'src/tools',
    'src/tool-calls',
    'src/shared',
  ],
  'src/mcp': [
    'src/mcp/features',
    'src/mcp/session',
    'src/mcp/transport',
    'src/mcp/auth',
    'src/mcp/config',
    'src/core',
    'src/tools',
    'src/shared',
  ],
  // The types of the request body.
  'src/responses/wire.ts': ['src/shared'],
  'src/responses/compatibility': [
    'src/core',
    'src/responses/wire.ts',
    'src/http',
    'src/redaction',
    'src/tool-calls',
    'src/shared',
  ],
  'src/responses/hosted-tools': ['src/core', 'src/responses/wire.ts', 'src/tool-calls', 'src/shared'],
  'src/responses/request': [
    'src/responses/wire.ts',
    'src/responses/hosted-tools',
    'src/core',
    'src/tool-calls',
    'src/shared',
  ],
  'src/responses/stream': [
    'src/tool-calls',
    'src/responses/hosted-tools',
    'src/http',
    'src/redaction',
    'src/core',
    'src/shared',
  ],
  'src/responses/transport.ts': ['src/responses/wire.ts', 'src/http', 'src/core', 'src/shared'],
  'src/responses/echo.ts': ['src/responses/compatibility', 'src/responses/wire.ts', 'src/core', 'src/shared'],
  'src/responses/websocket': [
    'src/responses/echo.ts',
    'src/responses/transport.ts',
    'src/core',
    'src/http',
    'src/redaction',
    'src/shared',
  ],
  'src/responses': [
    'src/responses/wire.ts',
    'src/responses/transport.ts',
    'src/responses/compatibility',
    'src/responses/request',
    'src/responses/echo.ts',
    'src/responses/stream',
    'src/responses/websocket',
    'src/http',
    'src/redaction',
    'src/core',
    'src/shared',
  ],
  'src/text-tools': ['src/tool-calls', 'src/core', 'src/shared'],
  'src/text-tools/formats': ['src/text-tools'],
  'src/adapters/prompts': ['src/tool-calls', 'src/core', 'src/shared'],
  'src/adapters': [
    'src/versions',
    'src/adapters/prompts',
    'src/text-tools',
    'src/text-tools/formats',
    'src/tool-calls',
    'src/core',
    'src/shared',
  ],
  'src/embeddings': ['src/versions', 'src/http', 'src/core', 'src/shared'],
  'src/tool-loop': [
    'src/versions',
    'src/tools',
    'src/tool-calls',
    'src/core',
    'src/http',
    'src/redaction',
    'src/shared',
  ],
  'src/models': [
    'src/tool-loop',
    'src/versions',
    'src/tool-calls',
    'src/core',
    'src/http',
    'src/redaction',
    'src/shared',
  ],
  'src/telemetry': ['src/core', 'src/http', 'src/redaction', 'src/shared'],
  'src/devtools': ['src/versions', 'src/shared'],
  'src/testing': [
    'src/adapters',
    'src/text-tools',
    'src/tool-loop',
    'src/versions',
    'src/core',
    'src/shared',
  ],
  // The command imports the entries by the name of the package.
  'src/command': ['src/mcp/config', 'src/http', 'src/shared'],
  'src/provider': [
    'src/responses/echo.ts',
    'src/responses/stream',
    'src/versions',
    'src/tool-loop',
    'src/adapters',
    'src/responses',
    'src/responses/compatibility',
    'src/responses/websocket',
    'src/responses/hosted-tools',
    'src/responses/request',
    'src/embeddings',
    'src/tools',
    'src/mcp',
    'src/mcp/config',
    'src/core',
    'src/http',
    'src/redaction',
    'src/shared',
  ],
  'src/host': [
    'src/provider',
    'src/versions',
    'src/tool-loop',
    'src/adapters',
    'src/responses',
    'src/responses/hosted-tools',
    'src/responses/request',
    'src/embeddings',
    'src/tools',
    'src/mcp',
    'src/mcp/config',
    'src/tool-calls',
    'src/core',
    'src/http',
    'src/redaction',
    'src/shared',
  ],
};

/** The only files that may import all layers: the public surfaces of the entries for each version. */
const ENTRIES: readonly string[] = ['src/index.ts', 'src/v3.ts', 'src/v4.ts'];

const layerOf = (file: string): string =>
  Object.keys(MAY_IMPORT)
    .filter(layer => file === layer || file.startsWith(`${layer}/`))
    .sort((a, b) => b.length - a.length)[0] ?? file;

const describe = ({ file, target }: Import) => `${file} → ${target}`;

test('each layer imports only the layers below it', () => {
  const wrong = imports.filter(({ file, target }) => {
    if (!target.startsWith('src/') || ENTRIES.includes(file)) return false;
    const layer = layerOf(file);
    return layerOf(target) !== layer && !MAY_IMPORT[layer]?.includes(layerOf(target));
  });
  expect(wrong.map(describe)).toEqual([]);
});

test('there are no cycles between layers', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (layer: string, path: readonly string[]): void => {
    if (path.includes(layer)) cycles.push([...path.slice(path.indexOf(layer)), layer].join(' → '));
    if (path.includes(layer) || done.has(layer)) return;
    for (const next of MAY_IMPORT[layer] ?? []) visit(next, [...path, layer]);
    done.add(layer);
  };
  for (const layer of Object.keys(MAY_IMPORT)) visit(layer, []);
  expect(cycles).toEqual([]);
});

test('only versions/ and the entries name a version of the model interface', () => {
  expect(filesWithVersions()).toEqual([]);
});

test('weak maps are for objects of others', () => {
  expect(weakMaps().length).toBeLessThanOrEqual(12);
});

/** What is loaded when it is first used, and who never loads it. The command, which loads each part when it runs, is not here. */
const DOORS: Readonly<Record<string, string>> = {
  'src/adapters/adapt-model.ts': 'models that need no adapter',
  'src/adapters/families/mistral-reader.ts': 'a page before its first call',
  'src/adapters/families/qwen-reader.ts': 'a page before its first call',
  'src/mcp/features/argument-issues.ts': 'programs that check no answers to forms',
  'src/mcp/features/follow-task.ts': 'servers without tasks',
  'src/mcp/features/skills.ts': 'applications that read no skills',
  'src/mcp/start-mcp-tools.ts': 'a program that ends before its first turn',
  'src/mcp/transport/stdio-transport.ts': 'servers over HTTP',
  'src/provider/compact.ts': 'conversations that nobody compacts',
  'src/provider/files.ts': 'programs without uploads',
  'src/responses/background.ts': 'responses that are not in the background',
  'src/responses/compatibility/rejected-request.ts': 'servers that accept the request',
  'src/responses/model.ts': 'embeddings, files, and models that another package replaces',
  'src/responses/websocket/transport.ts': 'responses over HTTP',
  'src/tool-loop/tool-loop.ts': 'models without a loop',
  'src/tool-loop/turn/features.ts': 'a program that ends before its first turn',
  'src/tool-loop/turn/host-steps.ts': 'turns that are one step of their host',
};

test('own modules are imported dynamically where somebody never needs them', () => {
  const doors = dynamicImports().flatMap(one =>
    one.startsWith('src/command/') ? [] : [one.replace(/^.* → /, '')],
  );
  expect([...new Set(doors)].sort()).toEqual(Object.keys(DOORS));
});

test('every source folder is in a layer', () => {
  const outside = folders().filter(
    ({ folder }) => folder !== 'src' && !(layerOf(`${folder}/index.ts`) in MAY_IMPORT),
  );
  expect(outside.map(({ folder }) => folder)).toEqual([]);
});

test('there are no cycles between the folders of a layer', () => {
  const links = new Set(
    imports
      .filter(({ file, target }) => target.startsWith('src/') && layerOf(file) === layerOf(target))
      .map(({ file, target }) => `${dirname(file)} ↔ ${dirname(target)}`),
  );
  const circles = [...links].filter(link => {
    const [from = '', to = ''] = link.split(' ↔ ');
    return from < to && links.has(`${to} ↔ ${from}`);
  });
  expect(circles).toEqual([]);
});

test('adapters, text tools and the tool loop do not depend on the Responses API', () => {
  const reached = (layer: string, seen = new Set<string>()): Set<string> => {
    for (const next of MAY_IMPORT[layer] ?? []) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  for (const layer of ['src/adapters', 'src/text-tools', 'src/tool-loop', 'src/mcp', 'src/http']) {
    expect([...reached(layer)].filter(name => name.startsWith('src/responses'))).toEqual([]);
  }
});

test('nothing imports the emulator', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('src/testing/') && !file.startsWith('src/testing/'),
  );
  expect(wrong.map(describe)).toEqual([]);
});

test('each package is imported only by its own layer', () => {
  const owners: Readonly<Record<string, string>> = {
    '@modelcontextprotocol/client': 'src/mcp/',
    '@modelcontextprotocol/ext-tasks': 'src/mcp/features/follow-task.ts',
    '@modelcontextprotocol/sdk': 'nowhere: only tests use the SDK of the previous revisions',
    '@ai-sdk/openai': 'src/host/',
    '@opentelemetry/api': 'src/telemetry/',
    ai: 'nowhere: the host brings it',
  };
  const wrong = imports.filter(({ file, target }) =>
    Object.entries(owners).some(
      ([name, owner]) => (target === name || target.startsWith(`${name}/`)) && !file.startsWith(owner),
    ),
  );
  expect(wrong.map(describe)).toEqual([]);
});

test.each(['src', 'playground'])('there are no import cycles between files of %s', folder => {
  expect(importCycles(folder)).toEqual([]);
});

test.each([
  'src/index.ts',
  'src/provider/provider.ts',
  'src/responses/model.ts',
  'src/tool-loop/index.ts',
  'src/adapters/index.ts',
  'src/tool-calls/index.ts',
  'src/v3.ts',
  'src/v4.ts',
  'src/host/index.ts',
])('%s imports no Node built-in and not the MCP SDK statically', entry => {
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
const LISTS = ['src/responses/hosted-tools/tools.ts'];

test('only the entries and the lists re-export', () => {
  const exporting = files.filter(file => /^export\s[^'"]*?from\s*'/ms.test(read(file)));
  expect(exporting.filter(file => !file.endsWith('/index.ts') && !ENTRIES.includes(file))).toEqual(LISTS);
});

test('the playground imports the package by its name', () => {
  const own = sourceFiles('playground').flatMap(importsOf);
  expect(
    own.filter(({ target }) => target.startsWith('src/') || target.startsWith('dist/')).map(describe),
  ).toEqual([]);
});
