import { createOpenAI as createOpenAI2 } from '@ai-sdk/openai';
import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { createOpenAI as createOpenAI4 } from 'openai4';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createKelivoResponsesProvider as createKelivoResponsesProviderV4 } from '../../src/v4.js';
import type { LanguageModelV4StreamPart } from '../../src/core/versions/specification.js';
import { toBody } from '../_chunking.js';
import { normalizeParts, type NormalizedPart } from './_normalize-parts.js';

interface Model {
  doStream(options: never): PromiseLike<{
    stream: ReadableStream<LanguageModelV2StreamPart> | ReadableStream<LanguageModelV4StreamPart>;
  }>;
}

interface Settings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
}

/** A major version of the official provider, and this package's provider for the same host. */
export interface ComparedMajor {
  readonly major: 2 | 4;
  readonly ai: 5 | 7;
  readonly toolType: 'provider-defined' | 'provider';
  ours(settings: Settings): Model;
  official(settings: Settings): Model;
}

export const COMPARED_MAJORS: readonly ComparedMajor[] = [
  {
    ...{ major: 2, ai: 5, toolType: 'provider-defined' },
    ours: settings => createKelivoResponsesProvider(settings).responses('gpt-5'),
    official: settings => createOpenAI2(settings).responses('gpt-5'),
  },
  {
    ...{ major: 4, ai: 7, toolType: 'provider' },
    ours: settings => createKelivoResponsesProviderV4(settings).responses('gpt-5') as Model,
    official: settings => createOpenAI4(settings).responses('gpt-5') as unknown as Model,
  },
];

/** Hosted tools by id, with the arguments that they require. Only declared tools return their calls in all majors. */
const HOSTED: Readonly<Record<ComparedMajor['major'], Readonly<Record<string, object>>>> = {
  2: {
    web_search: {},
    file_search: { vectorStoreIds: ['vs_1'] },
    code_interpreter: {},
    image_generation: {},
    local_shell: {},
  },
  4: {
    web_search: {},
    file_search: { vectorStoreIds: ['vs_1'] },
    code_interpreter: {},
    image_generation: {},
    local_shell: {},
    shell: { environment: { type: 'containerAuto' } },
    apply_patch: {},
    computer: {},
    mcp: { serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp' },
    tool_search: {},
    programmatic_tool_calling: {},
  },
};

/** Both receive the same hosted tools, so that both return their calls. */
export const toOptions = ({ major, toolType }: ComparedMajor) => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: Object.entries(HOSTED[major]).map(([name, args]) => ({
    type: toolType,
    id: `openai.${name}`,
    name,
    args,
  })),
  providerOptions: { openai: { store: false } },
});

/** Reads one recorded stream with both providers. */
export async function readWithBoth(
  { ours, official }: ComparedMajor,
  { body, options }: { body: string; options: object },
): Promise<{ ours: NormalizedPart[]; official: NormalizedPart[] }> {
  const settings = {
    apiKey: 'test',
    baseURL: 'http://server.test/v1',
    fetch: async () =>
      new Response(toBody([new TextEncoder().encode(body)]), {
        headers: { 'content-type': 'text/event-stream' },
      }),
  };
  return {
    ours: await read(ours(settings), options),
    official: await read(official(settings), options),
  };
}

async function read(model: Model, options: object): Promise<NormalizedPart[]> {
  try {
    const { stream } = await model.doStream(options as never);
    const parts: (LanguageModelV2StreamPart | LanguageModelV4StreamPart)[] = [];
    for await (const part of stream) parts.push(part);
    return normalizeParts(parts);
  } catch (error) {
    return [{ kind: 'rejected', error: error instanceof Error ? error.name : 'unknown' }];
  }
}
