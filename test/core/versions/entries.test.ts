import { fileURLToPath } from 'node:url';
import type { ToolSet } from 'ai';
import * as hostEntry from 'kelivo-responses/host';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AnyModel, asModel, type Major, majors, type Version } from './_majors.js';
import { run } from './_walk.js';
import { type Json, startWireServer, type WireServer } from './_wires.js';

const modes = ['generate', 'stream'] as const;

/** The entries by the version of their models. */
const specifiers: Readonly<Record<Version, string>> = {
  v2: 'kelivo-responses',
  v3: 'kelivo-responses/v3',
  v4: 'kelivo-responses/v4',
};
type Entry = Readonly<Record<string, unknown>>;
const entryOf = (version: Version) => import(/* @vite-ignore */ specifiers[version]) as Promise<Entry>;

let server: WireServer;
let warnings: string[];
/** The values of the entries. */
const entries: Record<Version, Entry> = { v2: {}, v3: {}, v4: {} };

beforeAll(async () => {
  server = await startWireServer();
  for (const version of ['v2', 'v3', 'v4'] as const) entries[version] = await entryOf(version);
});

afterAll(() => server.close());

beforeEach(() => {
  warnings = [];
  const log = (warning: unknown) => void warnings.push(JSON.stringify(warning));
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: log });
});

afterEach(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

/** A value of an entry with the type that the tests need. */
const valueOf = <Type>(version: Version, name: string): Type => entries[version][name] as Type;

const hasVersion = (name: string): boolean => /V[2-9](?![a-z])/.test(name);

describe('the entries', () => {
  const names = (version: Version) => Object.keys(entries[version]).filter(name => !hasVersion(name));

  it.each(['v3', 'v4'] as const)('./%s exports the values of the main entry', version => {
    expect(names(version).sort()).toEqual(names('v2').sort());
  });

  it('export the same types', () => {
    const exported = readExports(Object.values(specifiers)).map(all => all.filter(name => !hasVersion(name)));
    const [main, v3, v4] = exported;
    expect(main?.length).toBeGreaterThan(20);
    expect(v3).toEqual(main);
    expect(v4).toEqual(main);
  });

  it('share one class of errors', async () => {
    const { KelivoError: main } = entries.v2 as { KelivoError: typeof Error };
    expect([entries.v3.KelivoError, entries.v4.KelivoError]).toEqual([main, main]);
    for (const version of ['v2', 'v3', 'v4'] as const) {
      const create = valueOf<(settings: object) => unknown>(version, 'createKelivoResponsesProvider');
      expect(() => create({ baseUrl: 'http://127.0.0.1' })).toThrow(main);
    }
    expect(() => hostEntry.createProviderRegistryFromConfig({ providers: {} })).toThrow(main);
  });

  it.each(['v2', 'v3', 'v4'] as const)('have a default provider of their version (%s)', version => {
    const provider = valueOf<(id: string) => AnyModel>(version, 'kelivoResponses');
    expect(provider('gpt-5').specificationVersion).toBe(version);
  });
});

/** Returns the names that the declarations of modules export, values and types. */
function readExports(modules: readonly string[]): string[][] {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const options: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{ target: ts.ScriptTarget.ES2022, skipLibCheck: true, types: [], noEmit: true },
  };
  const files = modules.map(name => {
    const found = ts.resolveModuleName(
      name,
      `${folder}entries.test.ts`,
      options,
      ts.sys,
      undefined,
      undefined,
      ts.ModuleKind.ESNext,
    );
    return found.resolvedModule?.resolvedFileName ?? name;
  });
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return files.map(file => {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    return symbol === undefined
      ? []
      : checker
          .getExportsOfModule(symbol)
          .map(({ name }) => name)
          .sort();
  });
}

type Factory = (args?: object) => Json;

/** Arguments of the official provider's tools. */
const toolArguments: Readonly<Record<string, object>> = {
  codeInterpreter: { container: { fileIds: ['file_1'] } },
  customTool: {
    ...{ name: 'sql', description: 'Runs a query.' },
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "SELECT"' },
  },
  fileSearch: { vectorStoreIds: ['vs_1'], maxNumResults: 3 },
  imageGeneration: { quality: 'low', size: '1024x1024' },
  mcp: { serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp', allowedTools: ['read'] },
  shell: { environment: { type: 'containerAuto' } },
  webSearch: { searchContextSize: 'low' },
  webSearchPreview: { searchContextSize: 'high' },
};

/** Arguments of the factories of this package. */
const hostedArguments: Readonly<Record<string, object>> = {
  computerUse: { displayWidth: 800, displayHeight: 600, environment: 'browser' },
  custom: { name: 'sql', description: 'Runs a query.' },
  mcp: { serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp' },
};

/** Returns the tools of the request that a host sends. */
async function sentTools(major: Major, model: unknown, tools: Json): Promise<unknown> {
  server.reset();
  server.answer(() => ({ text: 'Hi.' }));
  await run(major.sdk, 'generate', {
    model: asModel(model),
    prompt: 'Hi.',
    tools: tools as ToolSet,
    maxRetries: 0,
  });
  return server.requests[0]?.body.tools;
}

describe.each(majors)('ai $ai', major => {
  const { version } = major;
  const own = () =>
    valueOf<(settings: object) => ((id: string) => unknown) & { tools?: Readonly<Record<string, Factory>> }>(
      version,
      'createKelivoResponsesProvider',
    )(server.connection);
  let officialTools: Readonly<Record<string, Factory>> = {};
  beforeAll(async () => {
    const { openai } = await major.importOpenAI();
    officialTools = openai.tools as unknown as typeof officialTools;
  });
  /** The name of a tool in a request: its own in version 2, else the key. */
  const keyOf = (tool: Json): string =>
    String(tool.name ?? (tool.args as Json | undefined)?.name ?? String(tool.id).replace('openai.', ''));

  it('has all tools of the official provider', () => {
    const { tools = {} } = own();
    expect(Object.keys(tools)).toEqual(expect.arrayContaining(Object.keys(officialTools)));
  });

  it('declares them as the official provider does', async () => {
    const provider = own();
    for (const [name, create] of Object.entries(officialTools)) {
      const args = toolArguments[name] ?? {};
      const official = create(args);
      const tool = provider.tools?.[name]?.(args) ?? {};
      const fields = ({ type, id, name: given, args: values, isProviderExecuted }: Json) => ({
        ...{ type, id, given, values, isProviderExecuted },
      });
      expect(fields(tool), name).toEqual(fields(official));
      expect(typeof tool.inputSchema, name).toMatch(/function|object/);

      const key = keyOf(official);
      const model = major.openai(server.connection).responses('gpt-5');
      const expected = await sentTools(major, model, { [key]: official });
      expect(await sentTools(major, provider('gpt-5'), { [key]: tool }), name).toEqual(expected);
      // The tools of both packages work with the models of both.
      expect(await sentTools(major, provider('gpt-5'), { [key]: official }), name).toEqual(expected);
      expect(await sentTools(major, model, { [key]: tool }), name).toEqual(expected);
    }
  });

  it('has hosted tools that send the same as those of the main entry', async () => {
    const [first] = majors;
    if (first === undefined) throw new Error('There are no majors.');
    const main = valueOf<Readonly<Record<string, Factory>>>('v2', 'hostedTools');
    const hosted = valueOf<Readonly<Record<string, Factory>> | undefined>(version, 'hostedTools') ?? {};
    expect(Object.keys(hosted).sort()).toEqual(Object.keys(main).sort());
    const mainProvider = valueOf<(settings: object) => (id: string) => unknown>(
      'v2',
      'createKelivoResponsesProvider',
    )(server.connection);
    for (const [name, create] of Object.entries(main)) {
      const args = hostedArguments[name] ?? {};
      const key = keyOf(create(args));
      const expected = await sentTools(first, mainProvider('gpt-5'), { [key]: create(args) });
      const tool = hosted[name]?.(args);
      expect(await sentTools(major, own()('gpt-5'), { [key]: tool }), name).toEqual(expected);
    }
  });

  it.each(modes)('shows the call and the result of a hosted MCP server (%s)', async mode => {
    const hosted = valueOf<Readonly<Record<string, Factory>> | undefined>(version, 'hostedTools');
    const items = [
      {
        ...{ type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'read', status: 'completed' },
        ...{ arguments: '{"path":"a.txt"}', output: 'found', error: null, approval_request_id: null },
      },
    ];
    const answer = { items, text: 'It is there.' };
    server.reset();
    server.answer(() => answer);
    const tools = { mcp: hosted?.mcp?.(hostedArguments.mcp) } as unknown as ToolSet;
    const { sdk } = major;
    const options = { model: asModel(own()('gpt-5')), prompt: 'Read a.txt.', tools, maxRetries: 0 };
    const { text } = await run(sdk, mode, options);
    expect(text).toBe('It is there.');
    expect(server.requests[0]?.body.tools).toMatchObject([{ type: 'mcp', server_label: 'docs' }]);
    if (major.ai === 5) return; // It drops calls of tools that it was not told of.
    const result = mode === 'generate' ? await sdk.generateText(options) : sdk.streamText(options);
    const content = (await result.steps).flatMap(step => step.content as unknown as Json[]);
    const shown = content.filter(({ type }) => type === 'tool-call' || type === 'tool-result');
    expect(shown).toMatchObject([
      { type: 'tool-call', toolName: expect.stringMatching(/^mcp/), providerExecuted: true },
      { type: 'tool-result', toolName: expect.stringMatching(/^mcp/) },
    ]);
    expect(JSON.stringify(shown[1])).toContain('found');
    expect(shown[0]?.toolCallId).toBe(shown[1]?.toolCallId);
  });

  it.each(modes)('prints no compatibility warning for models of its entry (%s)', async mode => {
    server.answer(() => ({ text: 'Hi.' }));
    for (const model of [
      own()('gpt-5'),
      major.sdk.wrapLanguageModel({ model: own()('gpt-5') as never, middleware: {} as never }),
    ]) {
      const { text, finishReason } = await run(major.sdk, mode, { model: asModel(model), prompt: 'Hi.' });
      expect({ text, finishReason }).toEqual({ text: 'Hi.', finishReason: 'stop' });
    }
    expect(warnings).toEqual([]);
  });

  it.each(modes)('a registry has models of its version, which print no warning (%s)', async mode => {
    const options: hostEntry.ProviderRegistryOptions<Version> = {
      importModule: major.importModule,
      specificationVersion: version,
    };
    const { connection, url } = server;
    const settings = {
      own: connection,
      official: connection,
      chat: { name: 'chat', includeUsage: true, ...connection },
    };
    const registry = hostEntry.createProviderRegistryFromConfig(
      {
        providers: {
          own: { type: 'kelivo-responses', settings: settings.own },
          official: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings: settings.official },
          chat: {
            ...{ import: '@ai-sdk/openai-compatible', creator: 'createOpenAICompatible' },
            settings: settings.chat,
          },
          gemini: {
            ...{ import: '@ai-sdk/google', creator: 'createGoogleGenerativeAI' },
            settings: { baseURL: `${url}/v1beta`, apiKey: connection.apiKey },
          },
        },
        roles: { chat: 'own:gpt-5' },
      },
      options,
    );
    server.answer(() => ({ text: 'Hi.' }));
    const models = ['own:gpt-5', 'official:gpt-5', 'chat:some-model', 'gemini:gemini-2.5-flash'].map(name =>
      registry.languageModel(name),
    );
    for (const model of [...models, registry.modelFor('chat')]) {
      expect(model.specificationVersion).toBe(version);
      const { text, finishReason, usage } = await run(major.sdk, mode, {
        model: asModel(model),
        prompt: 'Hi.',
      });
      expect({ text, finishReason }).toEqual({ text: 'Hi.', finishReason: 'stop' });
      expect(usage).toMatchObject({ inputTokens: 10, totalTokens: 15 });
    }
    expect(warnings).toEqual([]);
    await registry.close();
  });
});
