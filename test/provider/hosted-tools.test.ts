import { createOpenAI as createOpenAI2 } from '@ai-sdk/openai';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createOpenAI as createOpenAI3 } from 'openai3';
import { createOpenAI as createOpenAI4 } from 'openai4';
import { describe, expect, it } from 'vitest';
import * as main from '../../src/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { message, toResponse } from '../responses/stream/_fixtures/wire-events.js';

type Factories = Readonly<Record<string, (args?: object) => Tool>>;

interface Tool {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
  readonly args: object;
  readonly isProviderExecuted?: boolean;
  readonly supportsDeferredResults?: boolean;
}

interface Provider {
  responses(modelId: string): unknown;
  readonly tools: Factories;
}

interface Host {
  readonly generateText: (options: never) => Promise<unknown>;
  readonly createOwn: (settings: object) => Provider;
  readonly createOfficial: (settings: object) => Provider;
}

const hosts: Readonly<Record<string, Host>> = {
  'ai@5': {
    generateText: ai5.generateText,
    createOwn: settings => main.createKelivoResponsesProvider({ ...settings, store: true }) as never,
    createOfficial: settings => createOpenAI2(settings) as never,
  },
  'ai@6': {
    generateText: ai6.generateText,
    createOwn: settings => v3.createKelivoResponsesProvider({ ...settings, store: true }) as never,
    createOfficial: settings => createOpenAI3(settings) as never,
  },
  'ai@7': {
    generateText: ai7.generateText,
    createOwn: settings => v4.createKelivoResponsesProvider({ ...settings, store: true }) as never,
    createOfficial: settings => createOpenAI4(settings) as never,
  },
};

const location = { type: 'approximate', country: 'NO', city: 'Oslo', timezone: 'Europe/Oslo' };
const policy = {
  type: 'allowlist',
  allowedDomains: ['a.test'],
  domainSecrets: [{ domain: 'a.test', name: 'KEY', value: 'secret-1' }],
};

/** Arguments of each tool, of which the official provider of a major may not know all. */
const argumentsOf: Readonly<Record<string, readonly object[]>> = {
  applyPatch: [{}],
  codeInterpreter: [{}, { container: 'c_1' }, { container: { fileIds: ['file-1'] } }],
  computer: [{}],
  customTool: [
    {
      name: 'write_sql',
      description: 'Writes SQL.',
      format: { type: 'grammar', syntax: 'regex', definition: 'a+' },
    },
  ],
  fileSearch: [
    { vectorStoreIds: ['vs_1'] },
    {
      vectorStoreIds: ['vs_1'],
      maxNumResults: 3,
      ranking: { ranker: 'auto', scoreThreshold: 0.5 },
      filters: { type: 'and', filters: [{ key: 'lang', type: 'eq', value: 'en' }] },
    },
  ],
  imageGeneration: [
    {},
    {
      background: 'opaque',
      inputFidelity: 'high',
      inputImageMask: { fileId: 'file-1', imageUrl: 'https://a.test/a.png' },
      model: 'gpt-image-1',
      moderation: 'auto',
      outputCompression: 50,
      // `partialImages` is not sent by `@ai-sdk/openai` 2.
      outputFormat: 'webp',
      quality: 'low',
      size: '1024x1024',
    },
  ],
  localShell: [{}],
  mcp: [
    { serverLabel: 'docs', serverUrl: 'https://mcp.test/mcp' },
    {
      serverLabel: 'docs',
      connectorId: 'connector_x',
      authorization: 'secret-1',
      headers: { 'X-Key': 'secret-1' },
      allowedTools: { readOnly: true, toolNames: ['a'] },
      requireApproval: { never: { toolNames: ['a'] } },
      serverDescription: 'Documents.',
    },
  ],
  programmaticToolCalling: [{}],
  shell: [
    {},
    { environment: { type: 'containerAuto', fileIds: ['file-1'], memoryLimit: '4g', networkPolicy: policy } },
    { environment: { type: 'containerReference', containerId: 'c_1' } },
    { environment: { type: 'local', skills: [{ name: 's', description: 'S.', path: '/s' }] } },
  ],
  toolSearch: [{}, { execution: 'client', description: 'Finds tools.', parameters: { type: 'object' } }],
  webSearch: [
    {},
    {
      externalWebAccess: false,
      filters: { allowedDomains: ['a.test'] },
      searchContextSize: 'high',
      userLocation: location,
    },
  ],
  webSearchPreview: [{ searchContextSize: 'low', userLocation: location }],
};

/** Returns the request that a call with a tool sends. */
async function requestOf(
  { generateText }: Host,
  create: (settings: object) => Provider,
  use: (tools: Factories) => Tool,
): Promise<{ tool: Tool; body: Record<string, unknown> }> {
  let body: Record<string, unknown> = {};
  const provider = create({
    baseURL: 'https://api.test/v1',
    apiKey: 'sk-test',
    fetch: async (_url: unknown, { body: sent }: { body: string }) => {
      body = JSON.parse(sent) as typeof body;
      return Response.json(toResponse([message(['Done.'])]));
    },
  });
  const tool = use(provider.tools);
  const { name = tool.id.replace('openai.', '') } = { ...tool.args, ...tool } as { name?: string };
  await generateText({
    model: provider.responses('gpt-5.1'),
    prompt: 'Go.',
    tools: { [name]: tool },
  } as never);
  return { tool, body };
}

describe.each(Object.entries(hosts))('the tools of the provider in %s', (_, host) => {
  const official = host.createOfficial({ apiKey: 'sk-test' }).tools;

  it('include those of the official provider', () => {
    expect(Object.keys(host.createOwn({}).tools)).toEqual(expect.arrayContaining(Object.keys(official)));
    expect(Object.keys(argumentsOf)).toEqual(expect.arrayContaining(Object.keys(official)));
  });

  it.each(Object.keys(official))('equal those of the official provider: %s', async name => {
    for (const args of argumentsOf[name] ?? []) {
      const use = (tools: Factories) => (tools[name] as Factories[string])(args);
      const [own, theirs] = await Promise.all([
        requestOf(host, host.createOwn, use),
        requestOf(host, host.createOfficial, use),
      ]);
      const shapeOf = ({ type, id, name: toolName, args: toolArgs, isProviderExecuted, ...tool }: Tool) => ({
        ...{ type, id, name: toolName, args: toolArgs, isProviderExecuted },
        supportsDeferredResults: tool.supportsDeferredResults,
      });
      expect(shapeOf(own.tool)).toEqual(shapeOf(theirs.tool));
      expect(Object.keys(own.tool).sort()).toEqual(definedKeys(theirs.tool));
      expect(own.body.tools).toEqual(theirs.body.tools);
      expect(own.body.include).toEqual(theirs.body.include);
    }
  });
});

const definedKeys = (tool: object): string[] =>
  Object.entries(tool)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
    .sort();

const entries = { main, v3, v4 } as const;

describe.each(Object.entries(entries))('hostedTools of the entry %s', (name, { hostedTools }) => {
  it('have the shape of its major, and keep the members of the host out of the arguments', () => {
    const execute = async () => ({ output: [] });
    const tool = hostedTools.shell({ execute, environment: { type: 'local' } });
    expect(tool).toMatchObject({
      type: name === 'main' ? 'provider-defined' : 'provider',
      id: 'openai.shell',
      args: { environment: { type: 'local' } },
      execute,
    });
  });
});

describe('a tool for ai@7', () => {
  const telemetryView = Symbol.for('vercel.ai.telemetry.redact');
  const { tools } = v4.createKelivoResponsesProvider();
  const official = createOpenAI4({ apiKey: 'sk-test' }).tools;
  const viewOf = (args: object) => (args as Record<symbol, (args: object) => unknown>)[telemetryView]?.(args);

  it.each<[string, (factories: Factories) => Tool]>([
    ['mcp', factories => (factories.mcp as Factories[string])(argumentsOf.mcp?.[1])],
    ['shell', factories => (factories.shell as Factories[string])(argumentsOf.shell?.[1])],
    [
      'codeInterpreter',
      factories => (factories.codeInterpreter as Factories[string])({ container: { networkPolicy: policy } }),
    ],
  ])('hides its secrets from the telemetry of the host: %s', (_, create) => {
    const view = viewOf(create(tools as never).args);
    expect(view).toEqual(viewOf(create(official as never).args));
    expect(JSON.stringify(view)).not.toContain('secret-1');
  });

  it('lets functions be called by programs', () => {
    const callerOf = (tool: object) =>
      (tool as { experimental_toolCaller?: { prepareProviderOptions(options?: object): object } })
        .experimental_toolCaller;
    const [own, theirs] = [
      callerOf(tools.programmaticToolCalling()),
      callerOf(official.programmaticToolCalling()),
    ];
    for (const options of [undefined, { openai: { allowedCallers: ['direct'] }, other: { a: 1 } }])
      expect(own?.prepareProviderOptions(options)).toEqual(theirs?.prepareProviderOptions(options));
  });
});
