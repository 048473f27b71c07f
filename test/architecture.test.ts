import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import {
  codeLinesOf,
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
  'src/core/shared': [],
  'src/core/redaction': ['src/core/shared'],
  'src/core/http': ['src/core/redaction', 'src/core', 'src/core/shared'],
  'src/core': ['src/core/shared'],
  'src/core/tool-calls': ['src/core', 'src/core/shared'],
  'src/core/versions': ['src/core', 'src/core/tool-calls', 'src/core/shared'],
  'src/tools': ['src/core/tool-calls', 'src/core', 'src/core/shared'],
  'src/tools/mcp/config': ['src/tools', 'src/core/shared'],
  'src/tools/mcp/auth': ['src/tools/mcp/config', 'src/core/redaction', 'src/core/shared'],
  'src/tools/mcp/transport': [
    'src/tools/mcp/auth',
    'src/tools/mcp/config',
    'src/core/http',
    'src/core/redaction',
    'src/core/tool-calls',
    'src/core/shared',
  ],
  'src/tools/mcp/session': [
    'src/tools/mcp/transport',
    'src/tools/mcp/auth',
    'src/tools/mcp/config',
    'src/core',
    'src/tools',
    'src/core/tool-calls',
    'src/core/shared',
  ],
  'src/tools/mcp/features': [
    'src/tools/mcp/session',
    'src/tools/mcp/transport',
    'src/tools/mcp/auth',
    'src/tools/mcp/config',
    'src/core',
    'src/tools',
    'src/core/tool-calls',
    'src/core/shared',
  ],
  'src/tools/mcp': [
    'src/tools/mcp/features',
    'src/tools/mcp/session',
    'src/tools/mcp/transport',
    'src/tools/mcp/auth',
    'src/tools/mcp/config',
    'src/core',
    'src/tools',
    'src/core/shared',
  ],
  // The types of the request body.
  'src/responses/wire.ts': ['src/core/shared'],
  'src/responses/compatibility': [
    'src/core',
    'src/responses/wire.ts',
    'src/core/http',
    'src/core/redaction',
    'src/core/tool-calls',
    'src/core/shared',
  ],
  'src/responses/hosted-tools': [
    'src/core',
    'src/responses/wire.ts',
    'src/core/tool-calls',
    'src/core/shared',
  ],
  'src/responses/request': [
    'src/responses/wire.ts',
    'src/responses/hosted-tools',
    'src/core',
    'src/core/tool-calls',
    'src/core/shared',
  ],
  'src/responses/stream': [
    'src/core/tool-calls',
    'src/responses/hosted-tools',
    'src/core/http',
    'src/core/redaction',
    'src/core',
    'src/core/shared',
  ],
  'src/responses/transport.ts': ['src/responses/wire.ts', 'src/core/http', 'src/core', 'src/core/shared'],
  'src/responses/echo.ts': [
    'src/responses/compatibility',
    'src/responses/wire.ts',
    'src/core',
    'src/core/shared',
  ],
  'src/responses/websocket': [
    'src/responses/echo.ts',
    'src/responses/transport.ts',
    'src/core',
    'src/core/http',
    'src/core/redaction',
    'src/core/shared',
  ],
  'src/responses': [
    'src/responses/wire.ts',
    'src/responses/transport.ts',
    'src/responses/compatibility',
    'src/responses/request',
    'src/responses/echo.ts',
    'src/responses/stream',
    'src/responses/websocket',
    'src/core/http',
    'src/core/redaction',
    'src/core',
    'src/core/shared',
  ],
  'src/adapters/text-tools': ['src/core/tool-calls', 'src/core', 'src/core/shared'],
  'src/adapters/text-tools/formats': ['src/adapters/text-tools'],
  'src/adapters/prompts': ['src/core/tool-calls', 'src/core', 'src/core/shared'],
  'src/adapters': [
    'src/core/versions',
    'src/adapters/prompts',
    'src/adapters/text-tools',
    'src/adapters/text-tools/formats',
    'src/core/tool-calls',
    'src/core',
    'src/core/shared',
  ],
  'src/models/embeddings': ['src/core/versions', 'src/core/http', 'src/core', 'src/core/shared'],
  'src/tool-loop': [
    'src/core/versions',
    'src/tools',
    'src/core/tool-calls',
    'src/core',
    'src/core/http',
    'src/core/redaction',
    'src/core/shared',
  ],
  'src/models': [
    'src/tool-loop',
    'src/core/versions',
    'src/core/tool-calls',
    'src/core',
    'src/core/http',
    'src/core/redaction',
    'src/core/shared',
  ],
  'src/telemetry': ['src/core', 'src/core/http', 'src/core/redaction', 'src/core/shared'],
  'src/telemetry/devtools': ['src/core/versions', 'src/core/shared'],
  'src/testing': [
    'src/adapters',
    'src/adapters/text-tools',
    'src/tool-loop',
    'src/core/versions',
    'src/core',
    'src/core/shared',
  ],
  // The command imports the entries by the name of the package.
  'src/testing/command': ['src/tools/mcp/config', 'src/core/http', 'src/core/shared'],
  'src/provider': [
    'src/responses/echo.ts',
    'src/responses/stream',
    'src/core/versions',
    'src/tool-loop',
    'src/adapters',
    'src/responses',
    'src/responses/compatibility',
    'src/responses/websocket',
    'src/responses/hosted-tools',
    'src/responses/request',
    'src/models/embeddings',
    'src/tools',
    'src/tools/mcp',
    'src/tools/mcp/config',
    'src/core',
    'src/core/http',
    'src/core/redaction',
    'src/core/shared',
  ],
  'src/host': [
    'src/provider',
    'src/core/versions',
    'src/tool-loop',
    'src/adapters',
    'src/responses',
    'src/responses/hosted-tools',
    'src/responses/request',
    'src/models/embeddings',
    'src/tools',
    'src/tools/mcp',
    'src/tools/mcp/config',
    'src/core/tool-calls',
    'src/core',
    'src/core/http',
    'src/core/redaction',
    'src/core/shared',
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

/** The files of each room that other rooms may import: all of `core`, and nothing of `host`, `telemetry` and `testing`. */
const ROOMS: Readonly<Record<string, readonly string[] | 'all'>> = {
  core: 'all',
  tools: [
    'approval.ts',
    'fingerprints.ts',
    'given-tools.ts',
    'host-tools.ts',
    'kept-task.ts',
    'local-tools.ts',
    'mcp/config/config.ts',
    'mcp/create-mcp-tools.ts',
    'mcp/options.ts',
    'mcp/reconnect.ts',
    'mcp/start-mcp-tools.ts',
    'shared-tools.ts',
    'step-tools.ts',
    'tool-source.ts',
    'tool-stubs.ts',
    'toolbox.ts',
  ],
  responses: [
    'compatibility/compatibility.ts',
    'compatibility/model-memory.ts',
    'config.ts',
    'exchange.ts',
    'handlers.ts',
    'hosted-tools/index.ts',
    'model.ts',
    'request/model-settings.ts',
    'request/model-traits.ts',
    'request/options.ts',
    'request/read-options.ts',
    'request/schemas.ts',
    'request/setting-options.ts',
    'request/tool-names.ts',
    'stream/event-handlers.ts',
    'stream/extension.ts',
    'websocket/transport.ts',
  ],
  'tool-loop': [
    'agent-settings.ts',
    'context/prices.ts',
    'durable/store.ts',
    'features/feature.ts',
    'index.ts',
    'options.ts',
    'tool-loop.ts',
    'turn/host-steps.ts',
    'turn/partial-turn.ts',
    'turn/turn-reports.ts',
  ],
  adapters: [
    'adapt-model.ts',
    'adapter-choice.ts',
    'kit/definition.ts',
    'kit/middleware.ts',
    'kit/model-adapter.ts',
    'kit/text-tools-middleware.ts',
    'registry.ts',
    'text-tools/reading/text-tool-format.ts',
  ],
  models: ['embeddings/model.ts'],
  provider: [
    'compact.ts',
    'composition.ts',
    'connection.ts',
    'core-provider.ts',
    'model-overrides.ts',
    'provider.ts',
    'settings.ts',
    'workflow.ts',
  ],
  host: [],
  telemetry: [],
  testing: [],
};

/**
 * The lines of code that each room may have; comments and blank lines are free. A change that needs more raises the number, so
 * that its reader sees a room grow. A reason to look for something to delete, and never one to merge files or to cut comments.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  core: 10_500,
  tools: 9_000,
  responses: 11_300,
  'tool-loop': 10_800,
  adapters: 12_300,
  models: 1_000,
  provider: 1_800,
  host: 2_700,
  telemetry: 1_600,
  testing: 5_700,
};

const roomOf = (file: string): string => /^src\/([^/]+)\//.exec(file)?.[1] ?? 'entries';

test('there are at most ten rooms, and others import only their doors', () => {
  const rooms = new Set(files.map(roomOf));
  rooms.delete('entries');
  expect([...rooms].sort()).toEqual(Object.keys(ROOMS).sort());
  expect(rooms.size).toBeLessThanOrEqual(10);
  const doors = new Map([...rooms].map(room => [room, new Set<string>()]));
  for (const { file, target } of imports) {
    if (target.startsWith('src/') && roomOf(file) !== roomOf(target))
      doors.get(roomOf(target))?.add(target.replace(/^src\/[^/]+\//, ''));
  }
  for (const [room, listed] of Object.entries(ROOMS)) {
    if (listed !== 'all') expect([room, [...(doors.get(room) ?? [])].sort()]).toEqual([room, listed]);
  }
});

test('each room stays within its budget of code lines, and no budget is far above its room', () => {
  const linesOf = (room: string): number =>
    files.filter(file => roomOf(file) === room).reduce((sum, file) => sum + codeLinesOf(file), 0);
  const outside = Object.entries(BUDGETS).flatMap(([room, budget]) => {
    const lines = linesOf(room);
    return lines > budget || lines < budget * 0.85 ? [`${room}: ${lines} lines, budget ${budget}`] : [];
  });
  expect(outside).toEqual([]);
  expect(Object.keys(BUDGETS)).toEqual(expect.arrayContaining(Object.keys(ROOMS)));
});

test('no two rooms import each other, directly or through others', () => {
  const targets = (room: string): Set<string> =>
    new Set(
      imports.flatMap(({ file, target }) =>
        roomOf(file) === room && target.startsWith('src/') && roomOf(target) !== room ? [roomOf(target)] : [],
      ),
    );
  const reached = (room: string, seen = new Set<string>()): Set<string> => {
    for (const next of targets(room)) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  expect(Object.keys(ROOMS).filter(room => reached(room).has(room))).toEqual([]);
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

test('only core/versions/ and the entries name a version of the model interface', () => {
  expect(filesWithVersions()).toEqual([]);
});

test('weak maps are for objects of others', () => {
  expect(weakMaps().length).toBeLessThanOrEqual(12);
});

/** What is loaded when it is first used, and who never loads it. The command, which loads each part when it runs, is not here. */
const LOADED_LATER: Readonly<Record<string, string>> = {
  'src/adapters/adapt-model.ts': 'models that need no adapter',
  'src/adapters/families/mistral-reader.ts': 'a page before its first call',
  'src/adapters/families/qwen-reader.ts': 'a page before its first call',
  'src/provider/compact.ts': 'conversations that nobody compacts',
  'src/provider/files.ts': 'programs without uploads',
  'src/responses/background.ts': 'responses that are not in the background',
  'src/responses/compatibility/rejected-request.ts': 'servers that accept the request',
  'src/responses/model.ts': 'embeddings, files, and models that another package replaces',
  'src/responses/websocket/transport.ts': 'responses over HTTP',
  'src/tool-loop/tool-loop.ts': 'models without a loop',
  'src/tool-loop/turn/features.ts': 'a program that ends before its first turn',
  'src/tool-loop/turn/host-steps.ts': 'turns that are one step of their host',
  'src/tools/mcp/features/argument-issues.ts': 'programs that check no answers to forms',
  'src/tools/mcp/features/follow-task.ts': 'servers without tasks',
  'src/tools/mcp/features/skills.ts': 'applications that read no skills',
  'src/tools/mcp/start-mcp-tools.ts': 'a program that ends before its first turn',
  'src/tools/mcp/transport/stdio-transport.ts': 'servers over HTTP',
};

test('own modules are imported dynamically where somebody never needs them', () => {
  const targets = dynamicImports().flatMap(one =>
    one.startsWith('src/testing/command/') ? [] : [one.replace(/^.* → /, '')],
  );
  expect([...new Set(targets)].sort()).toEqual(Object.keys(LOADED_LATER));
});

test('every source folder is in a layer', () => {
  const outside = folders().filter(
    ({ folder }) => folder !== 'src' && !(layerOf(`${folder}/index.ts`) in MAY_IMPORT),
  );
  expect(outside.map(({ folder }) => folder)).toEqual([]);
  // A new part of what all rooms use says what it may import.
  const parts = folders().filter(({ folder }) => /^src\/core\/[^/]+$/.test(folder));
  expect(parts.filter(({ folder }) => !(folder in MAY_IMPORT))).toEqual([]);
  expect(parts.length).toBeGreaterThan(0);
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
  for (const layer of [
    'src/adapters',
    'src/adapters/text-tools',
    'src/tool-loop',
    'src/tools/mcp',
    'src/core/http',
  ]) {
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
    '@modelcontextprotocol/client': 'src/tools/mcp/',
    '@modelcontextprotocol/ext-tasks': 'src/tools/mcp/features/follow-task.ts',
    '@modelcontextprotocol/sdk': 'nowhere: only tests use the SDK of the previous revisions',
    '@ai-sdk/openai': 'src/host/',
    '@opentelemetry/api': 'src/telemetry/',
    ai: 'nowhere: the host brings it',
  };
  const wrong = imports.filter(({ file, target }) =>
    Object.entries(owners).some(
      ([name, owner]) =>
        (target === name || target.startsWith(`${name}/`)) &&
        (!file.startsWith(owner) || file.startsWith('src/telemetry/devtools/')),
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
  'src/core/tool-calls/index.ts',
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
