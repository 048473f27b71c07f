import { type LanguageModelV2CallOptions, NoSuchModelError } from '@ai-sdk/provider';
import { generateText } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/v4';
import { createKelivoResponsesProvider, KelivoError } from '../../src/index.js';
import type { HostTool } from '../../src/tools/host-tools.js';
import type { ToolStub } from '../../src/tools/tool-stubs.js';
import { createKelivoResponsesProvider as createProviderV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createProviderV4 } from '../../src/v4.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { serve, serveJson } from '../_server.js';
import { startEmulator } from '../testing/_emulator.js';
import { functionCall, message, toResponse } from '../responses/stream/_fixtures/wire-events.js';

const prompt: LanguageModelV2CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
];

beforeEach(() => {
  vi.stubEnv('OPENAI_BASE_URL', '');
  vi.stubEnv('OPENAI_API_KEY', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Creates a tool that runs in this process and records its inputs. */
function createEcho() {
  const inputs: unknown[] = [];
  const echo = {
    description: 'Says it again.',
    inputSchema: z.object({ text: z.string() }),
    execute: async (input: { text: string }) => {
      inputs.push(input);
      return input.text;
    },
  };
  return { inputs, echo };
}

/** Starts a server that calls `echo` once and then returns a text. */
const serveCall = () =>
  serve((response, { body }) => {
    const isAnswered = JSON.stringify(body.input).includes('function_call_output');
    const answer = isAnswered ? message(['It said so.']) : functionCall('echo', '{"text":"Hi"}');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(toResponse([answer])));
  });

describe('createKelivoResponsesProvider', () => {
  it('rejects invalid settings on creation', () => {
    const create = () => createKelivoResponsesProvider({ baseURL: 'api.test/v1' });
    expect(create).toThrow(KelivoError);
    expect(create).toThrow('Did you mean "https://api.test/v1"?');
  });

  it('sends and starts nothing on creation', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const apiKey = vi.fn(() => 'sk-1');
    const provider = createKelivoResponsesProvider({
      fetch,
      apiKey,
      mcpServers: { none: { command: 'no-such-program' } },
    });
    provider.languageModel('m');
    await provider.close();
    expect(fetch).not.toHaveBeenCalled();
    expect(apiKey).not.toHaveBeenCalled();
  });

  it('names its models', () => {
    const provider = createKelivoResponsesProvider({ name: 'mine' });
    const names = { specificationVersion: 'v2', provider: 'mine', modelId: 'm' };
    expect(provider('m')).toMatchObject(names);
    expect(provider.languageModel('m')).toMatchObject(names);
    expect(provider.responses('m')).toMatchObject(names);
    expect(provider.textEmbeddingModel('m')).toMatchObject(names);
    expect(createKelivoResponsesProvider()('m').provider).toBe('kelivo-responses');
  });

  it.each([
    ['v2', createKelivoResponsesProvider],
    ['v3', createProviderV3],
    ['v4', createProviderV4],
  ] as const)(
    'of version %s has embedding models under each name of the official provider',
    (version, create) => {
      const provider = create({ name: 'mine' });
      const models = [
        provider.embeddingModel('m'),
        provider.embedding('m'),
        provider.textEmbeddingModel('m'),
        provider.textEmbedding('m'),
      ];
      for (const model of models)
        expect(model).toMatchObject({ specificationVersion: version, provider: 'mine', modelId: 'm' });
    },
  );

  it('has no image models', () => {
    const provider = createKelivoResponsesProvider();
    expect(() => provider.imageModel('dall-e')).toThrow(NoSuchModelError);
    expect(() => provider.imageModel('dall-e')).toThrow('dall-e');
  });

  it('reads the base URL from the environment, and adds the query of the settings', async () => {
    const server = await serveJson(toResponse([message(['Hi'])]));
    vi.stubEnv('OPENAI_BASE_URL', `${server.url}/gateway/v1?a=1`);
    await createKelivoResponsesProvider({ query: { b: '2' } })
      .responses('m')
      .doGenerate({ prompt });
    expect(server.requests[0]?.path).toBe('/gateway/v1/responses?a=1&b=2');
  });

  it('ignores an empty variable, and rejects an empty setting', async () => {
    vi.stubEnv('OPENAI_BASE_URL', '');
    const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(toResponse([message(['Hi'])])));
    await createKelivoResponsesProvider({ apiKey: 'sk-1', fetch }).responses('m').doGenerate({ prompt });
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(['https://api.openai.com/v1/responses']);
    expect(() => createKelivoResponsesProvider({ baseURL: '' })).toThrow(/Expected `baseURL`/);
  });

  it('uses the `fetch` of the settings', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(toResponse([message(['Hi'])])));
    await createKelivoResponsesProvider({ baseURL: 'http://server.test', fetch })
      .responses('m')
      .doGenerate({ prompt });
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(['http://server.test/v1/responses']);
  });

  it('runs its own tools in a language model', async () => {
    const [server, { echo, inputs }] = [await serveCall(), createEcho()];
    const provider = createKelivoResponsesProvider({ baseURL: server.url, tools: { echo } });
    const { content } = await provider('m').doGenerate({ prompt });
    expect(content).toContainEqual(expect.objectContaining({ type: 'text', text: 'It said so.' }));
    expect(inputs).toEqual([{ text: 'Hi' }]);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['the bare model', {}, 'responses'],
    ['a provider without a tool loop', { toolLoop: false }, 'languageModel'],
  ] as const)('runs no tools in %s', async (_, settings, method) => {
    const [server, { echo, inputs }] = [await serveCall(), createEcho()];
    const provider = createKelivoResponsesProvider({ baseURL: server.url, tools: { echo }, ...settings });
    const { finishReason } = await provider[method]('m').doGenerate({ prompt });
    expect(finishReason).toBe('tool-calls');
    expect(inputs).toEqual([]);
  });

  it('returns declarations of its tools, whose `execute` serves hosts of the official model', async () => {
    const stubs = await createKelivoResponsesProvider({ tools: { echo: createEcho().echo } }).tools();
    expect(stubs).toEqual({
      echo: {
        description: 'Says it again.',
        inputSchema: expect.anything(),
        execute: expect.any(Function),
        toModelOutput: expect.any(Function),
      },
    });
    // Copies do not contain the mark.
    expect(stubs.echo?.providerOptions).toEqual({ kelivo: { stub: true, tool: '["","echo"]' } });
    expect(await createKelivoResponsesProvider().tools()).toEqual({});
  });

  it('warns once about tools that are missing from the declarations', async () => {
    const server = await serveJson(toResponse([message(['Hi'])]));
    const broken = { inputSchema: z.date(), execute: () => 'never' };
    const provider = createKelivoResponsesProvider({ baseURL: server.url, tools: { broken } });
    expect(await provider.tools()).toEqual({});
    expect(await provider.tools()).toEqual({});
    const { warnings } = await provider('m').doGenerate({ prompt });
    expect(warnings).toEqual([
      { type: 'other', message: expect.stringMatching(/^The local tool "broken" is not offered/) },
    ]);
    expect((await provider('m').doGenerate({ prompt })).warnings).toEqual([]);
  });

  it('warns once about tools that are missing in both the declarations and the call', async () => {
    const server = await serveJson(toResponse([message(['Hi'])]));
    const provider = createKelivoResponsesProvider({
      baseURL: server.url,
      mcpServers: { none: { command: 'no-such-program' } },
    });
    await provider.tools();
    const { warnings } = await provider('m').doGenerate({ prompt });
    expect(warnings).toEqual([{ type: 'other', message: expect.stringContaining('no-such-program') }]);
    await provider.close();
  });

  it.each(['azure', 'google'] as const)('never sends a key for another service to OpenAI: %s', api => {
    const create = () => createKelivoResponsesProvider({ api, apiKey: 'secret-key' });
    expect(create).toThrow(KelivoError);
    expect(create).toThrow(`with \`api: '${api}'\`, got none. Set it`);
  });

  it('reports a deployment in the URL of Azure that is not used', async () => {
    const emulator = await startEmulator();
    const baseURL = `${emulator.url}/openai/deployments/my-gpt/chat/completions`;
    // A gateway with the address of Azure in front of the emulator.
    const fetch: typeof globalThis.fetch = (input, init) =>
      globalThis.fetch(String(input).replace('/openai/v1', '/v1'), init);
    const provider = createKelivoResponsesProvider({ api: 'azure', apiKey: 'sk', baseURL, fetch });
    const warningsOf = async (modelId: string) =>
      (await generateText({ model: provider(modelId), prompt: 'Hi' })).warnings;
    expect(await warningsOf('gpt-5')).toEqual([
      {
        type: 'other',
        message: expect.stringContaining('The deployment "my-gpt" in `baseURL` was not used'),
      },
    ]);
    expect(await warningsOf('my-gpt')).toEqual([]);
  });

  it('accepts local tools that are a source already', async () => {
    const { echo } = createEcho();
    const provider = createKelivoResponsesProvider({ tools: createLocalTools({ echo }) });
    expect(Object.keys(await provider.tools())).toEqual(['echo']);
  });

  it('returns tools that the host runs without a tool loop', async () => {
    const { echo, inputs } = createEcho();
    const provider = createKelivoResponsesProvider({ tools: { echo }, toolLoop: false });
    const tools: Record<string, Partial<HostTool & ToolStub>> = await provider.tools();
    expect(tools.echo).toMatchObject({ description: 'Says it again.' });
    expect(tools.echo?.providerOptions).toBeUndefined();
    await tools.echo?.execute?.({ text: 'Hi' }, { toolCallId: 'call_1', messages: [] });
    expect(inputs).toEqual([{ text: 'Hi' }]);
  });

  it('names the invalid option of the tool loop', () => {
    const toolLoop = { maxRounds: 'many' as unknown as number };
    expect(() => createKelivoResponsesProvider({ toolLoop })).toThrow(
      'Invalid `toolLoop.maxRounds` of the provider settings:',
    );
  });
});
