import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { build, user } from './_build.js';

/** Returns the body and the warnings of the official provider for a call that stores nothing. */
async function buildByOfficialProvider(modelId: string, options: LanguageModelV2CallOptions) {
  let body: Record<string, unknown> = {};
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    body = JSON.parse(String(init?.body));
    return Response.json({
      id: 'resp_1',
      created_at: 1,
      model: modelId,
      output: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  };
  const model = createOpenAI({ apiKey: 'test', fetch }).responses(modelId);
  const { warnings } = await model.doGenerate(options);
  return { body, warnings };
}

/**
 * Removes the intended differences of this package:
 * - It omits the ids of messages and calls, because a server that stores nothing does not know them.
 * - It requests encrypted reasoning for every model name.
 * - It removes `$schema` from the schemas of tools.
 */
function withoutKnownDifferences(body: Record<string, unknown>) {
  const { input, include, tools, ...rest } = JSON.parse(JSON.stringify(body));
  return {
    ...rest,
    input: input.map((item: Record<string, unknown>) => {
      // The official provider omits the type of messages, which llama.cpp requires.
      const { id, type, ...rest } = item;
      const withoutId = type === 'message' ? rest : { type, ...rest };
      return item.type === 'reasoning' || item.type === 'local_shell_call' ? item : withoutId;
    }),
    include: new Set(['reasoning.encrypted_content', ...(include ?? [])]),
    tools: tools?.map(({ parameters, ...tool }: Record<string, unknown>) => ({
      ...tool,
      ...(typeof parameters === 'object' && { parameters: { ...parameters, $schema: undefined } }),
    })),
  };
}

const ids = { toolCallId: 'call_1', toolName: 'weather' };
const withOpenai = (openai: Record<string, string | null>) => ({ providerOptions: { openai } });
const toolRound: LanguageModelV2CallOptions['prompt'] = [
  { role: 'system', content: 'Be brief.' },
  user('Weather in Rome?'),
  {
    role: 'assistant',
    content: [
      {
        type: 'reasoning',
        text: 'First',
        ...withOpenai({ itemId: 'rs_1', reasoningEncryptedContent: null }),
      },
      { type: 'reasoning', text: 'then', ...withOpenai({ itemId: 'rs_1', reasoningEncryptedContent: 'e' }) },
      { type: 'text', text: 'I look.', ...withOpenai({ itemId: 'msg_1', phase: 'commentary' }) },
      { type: 'tool-call', ...ids, input: { city: 'Rome' }, ...withOpenai({ itemId: 'fc_1' }) },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', ...ids, output: { type: 'json', value: { celsius: 20 } } }],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Warm.' }] },
  user('Thanks'),
];
const hosted = { toolCallId: 'ws_1', toolName: 'web_search' };
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Tells the weather',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
  },
};

const calls: Record<string, Partial<LanguageModelV2CallOptions>> = {
  'a question': {},
  'a round of tools': { prompt: toolRound, tools: [weather], toolChoice: { type: 'auto' } },
  'a forced tool': { tools: [weather], toolChoice: { type: 'tool', toolName: 'weather' } },
  'all sampling settings': {
    maxOutputTokens: 5,
    temperature: 0.1,
    topP: 0.2,
    topK: 3,
    seed: 4,
    presencePenalty: 0.5,
    frequencyPenalty: 0.6,
    stopSequences: ['x'],
  },
  'a schema': {
    responseFormat: { type: 'json', name: 'n', description: 'd', schema: { type: 'object', properties: {} } },
    // The default is strict where the schema allows it, as in later versions of the official provider.
    providerOptions: { openai: { strictJsonSchema: false } },
  },
  'any JSON': { responseFormat: { type: 'json' } },
  'all provider options': {
    providerOptions: {
      openai: {
        conversation: 'c',
        previousResponseId: 'r',
        include: ['file_search_call.results'],
        instructions: 'i',
        logprobs: 3,
        maxToolCalls: 4,
        metadata: { a: 'b' },
        parallelToolCalls: false,
        promptCacheKey: 'k',
        promptCacheOptions: { mode: 'implicit' },
        promptCacheRetention: '24h',
        reasoningEffort: 'low',
        reasoningSummary: 'auto',
        reasoningMode: 'standard',
        reasoningContext: 'auto',
        reasoningEffortUpdate: 'high',
        safetyIdentifier: 's',
        serviceTier: 'priority',
        strictJsonSchema: true,
        textVerbosity: 'low',
        truncation: 'disabled',
        user: 'u',
      },
    },
    tools: [weather],
  },
  'hosted tools': {
    tools: [
      weather,
      {
        type: 'provider-defined',
        id: 'openai.web_search',
        name: 'web_search',
        args: { searchContextSize: 'low' },
      },
      { type: 'provider-defined', id: 'openai.code_interpreter', name: 'code_interpreter', args: {} },
      { type: 'provider-defined', id: 'openai.local_shell', name: 'local_shell', args: {} },
      {
        type: 'provider-defined',
        id: 'openai.file_search',
        name: 'file_search',
        args: { vectorStoreIds: ['v'], ranking: { ranker: 'auto' } },
      },
      {
        type: 'provider-defined',
        id: 'openai.image_generation',
        name: 'image_generation',
        args: { size: 'auto', inputImageMask: { fileId: 'f' } },
      },
    ],
    toolChoice: { type: 'tool', toolName: 'web_search' },
  },
  'a hosted search in the history': {
    prompt: [
      user('q'),
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', ...hosted, input: {}, providerExecuted: true },
          { type: 'tool-result', ...hosted, output: { type: 'json', value: {} } },
          { type: 'text', text: 'found' },
        ],
      },
      user('more'),
    ],
  },
  'reasoning without its content': {
    prompt: [
      user('q'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'x', ...withOpenai({ itemId: 'rs_1' }) },
          { type: 'text', text: 'a' },
        ],
      },
      user('more'),
    ],
  },
  'images and a PDF': {
    prompt: [
      {
        role: 'user',
        content: [
          { type: 'file', data: 'AAEC', mediaType: 'image/*', ...withOpenai({ imageDetail: 'low' }) },
          { type: 'file', data: new Uint8Array([1]), mediaType: 'image/png' },
          { type: 'file', data: new URL('https://a.org/x.png'), mediaType: 'image/png' },
          { type: 'file', data: 'file-1', mediaType: 'image/png' },
          { type: 'file', data: 'AAEC', mediaType: 'application/pdf' },
          { type: 'file', data: new URL('https://a.org/x.pdf'), mediaType: 'application/pdf' },
          { type: 'file', data: 'file-1', mediaType: 'application/pdf' },
        ],
      },
    ],
  },
  'tool results with content': {
    prompt: [
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            ...ids,
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'a' },
                { type: 'media', data: 'AAEC', mediaType: 'image/png' },
                { type: 'media', data: 'AAEC', mediaType: 'application/pdf' },
              ],
            },
          },
        ],
      },
    ],
  },
};

/** Later versions of the official provider have one text for all changes of the configuration. */
const toLaterWording = (warning: LanguageModelV2CallWarning): LanguageModelV2CallWarning =>
  'details' in warning && warning.details !== undefined
    ? {
        ...warning,
        details: warning.details.replace(/^reasoningEffortUpdate is/, 'Configuration updates are'),
      }
    : warning;

const models = ['gpt-5', 'gpt-4o', 'o3-mini', 'gpt-5.1', 'gpt-5-chat-latest', 'gpt-6-sol', 'gpt-5-nano'];

describe.each(models)('for %s, body and warnings equal those of the official provider', modelId => {
  it.each(Object.keys(calls))('with %s', async name => {
    const call = calls[name] ?? {};
    const options: LanguageModelV2CallOptions = {
      prompt: [user('hi')],
      ...call,
      providerOptions: { openai: { ...call.providerOptions?.openai, store: false } },
    };
    const official = await buildByOfficialProvider(modelId, options);
    const ours = build(options, { modelId });
    expect(withoutKnownDifferences({ ...ours.body })).toEqual(withoutKnownDifferences(official.body));
    expect(new Set(ours.warnings)).toEqual(new Set(official.warnings.map(toLaterWording)));
  });
});
