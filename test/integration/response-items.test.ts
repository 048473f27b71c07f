import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it } from 'vitest';
import { newest } from '../_products.js';
import { z } from 'zod';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { toProviderV3 } from '../../src/v3.js';
import { toProviderV4 } from '../../src/v4.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  toResponse,
  toStream,
  type WireItem,
} from '../responses/stream/_fixtures/wire-events.js';

// Items that the parts of the specification cannot express, in real hosts and over HTTP.

type AiSdk = typeof ai5;
type Provider = ReturnType<typeof createKelivoResponsesProvider>;

// The types of the major versions differ. All versions share the functions that are used here.
const hosts: readonly [name: string, sdk: AiSdk, convert: (provider: Provider) => unknown][] = [
  ['ai 5 · V2', ai5, provider => provider],
  ['ai 6 · V2', ai6 as unknown as AiSdk, provider => provider],
  ['ai 6 · V3', ai6 as unknown as AiSdk, toProviderV3],
  ['ai 7 · V2', ai7 as unknown as AiSdk, provider => provider],
  ['ai 7 · V3', ai7 as unknown as AiSdk, toProviderV3],
  ['ai 7 · V4', ai7 as unknown as AiSdk, toProviderV4],
];

const script = (item: WireItem): ItemScript => ({ begun: item, item, deltas: [] });

/** Starts a server that sends the responses in order, as the request wants them. */
async function start(
  convert: (provider: Provider) => unknown,
  responses: readonly (readonly ItemScript[])[],
  tools: KelivoResponsesSettings['tools'] = {},
) {
  let next = 0;
  const server = await serve((response, { body }) => {
    const scripts = responses[next++] ?? [message(['No more.'])];
    const { stream } = body;
    response.writeHead(200, { 'content-type': stream === true ? 'text/event-stream' : 'application/json' });
    response.end(stream === true ? toSse(toStream(scripts)) : JSON.stringify(toResponse(scripts)));
  });
  const provider = convert(
    createKelivoResponsesProvider({ baseURL: server.url, apiKey: 'key', tools }),
  ) as Provider;
  const inputOf = (index: number) => server.requests[index]?.body.input as Record<string, unknown>[];
  return { model: provider('gpt-5'), server, inputOf };
}

interface Turn {
  readonly text: string;
  readonly finishReason: string;
  readonly reasoning: readonly { text: string }[];
  readonly toolCalls: readonly unknown[];
  readonly response: { messages: ai5.ModelMessage[] };
}

const modes: readonly [
  string,
  (sdk: AiSdk, options: Parameters<AiSdk['generateText']>[0]) => Promise<Turn>,
][] = [
  [
    'generateText',
    async (sdk, options) => {
      const { text, finishReason, reasoning, toolCalls, response } = await sdk.generateText(options);
      return { text, finishReason, reasoning, toolCalls, response };
    },
  ],
  [
    'streamText',
    async (sdk, options) => {
      const result = sdk.streamText({
        ...options,
        onError: ({ error }) => {
          throw error;
        },
      } as Parameters<AiSdk['streamText']>[0]);
      await result.consumeStream();
      return {
        text: await result.text,
        finishReason: await result.finishReason,
        reasoning: await result.reasoning,
        toolCalls: await result.toolCalls,
        response: await result.response,
      };
    },
  ],
];

const opaque: readonly WireItem[] = [
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'blob' },
  { type: 'program', id: 'prg_1', call_id: 'call_p', code: 'f()', fingerprint: 'fp' },
  { type: 'program_output', id: 'prgo_1', call_id: 'call_p', result: '1', status: 'completed' },
  { type: 'acme:search_call', id: 'acme_1', query: 'x' },
];

describe.each(newest(hosts))('%s', (_, sdk, convert) => {
  describe.each(modes)('%s', (_mode, run) => {
    it('keeps items without a function form in its history, and they go back unchanged', async () => {
      const { model, inputOf } = await start(convert, [
        [...opaque.map(script), message(['Hi'])],
        [message(['Again'])],
      ]);
      const user = { role: 'user' as const, content: 'Hello' };
      const first = await run(sdk, { model, messages: [user] });
      expect(first).toMatchObject({ text: 'Hi', finishReason: 'stop', toolCalls: [] });
      expect(first.reasoning.map(({ text }) => text).join('')).toBe('');
      const messages = JSON.parse(
        JSON.stringify([user, ...first.response.messages, user]),
      ) as ai5.ModelMessage[];
      const second = await run(sdk, { model, messages });
      expect(second.text).toBe('Again');
      const types = new Set(opaque.map(({ type }) => type));
      expect(inputOf(1).filter(({ type }) => types.has(String(type)))).toEqual(opaque);
      expect(inputOf(1).some(({ type }) => type === 'function_call')).toBe(false);
    });

    it('finishes a refusal as "content-filter"', async () => {
      const { model } = await start(convert, [[message([{ refusal: 'I cannot.' }])]]);
      expect(await run(sdk, { model, prompt: 'Hello' })).toMatchObject({
        text: 'I cannot.',
        finishReason: 'content-filter',
      });
    });

    it('parses the output after commentary, which goes back as a message', async () => {
      const { model, inputOf } = await start(convert, [
        [
          message(['I will look.'], { id: 'msg_1', phase: 'commentary' }),
          message(['{"city":"Rome"}'], { id: 'msg_2', phase: 'final_answer' }),
        ],
        [message(['{"city":"Oslo"}'])],
      ]);
      const schema = z.object({ city: z.string() });
      const output = sdk.Output.object({ schema });
      const user = { role: 'user' as const, content: 'Hello' };
      const settings = { model, experimental_output: output, output };
      const first = await run(sdk, { ...settings, messages: [user] });
      expect(first.text).toBe('{"city":"Rome"}');
      expect(first.reasoning.map(({ text }) => text)).toEqual(['I will look.']);
      await run(sdk, { ...settings, messages: [user, ...first.response.messages, user] });
      expect(inputOf(1)).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: [{ text: 'I will look.' }], phase: 'commentary' },
        { role: 'assistant', content: [{ text: '{"city":"Rome"}' }], phase: 'final_answer' },
        { role: 'user' },
      ]);
    });

    it('keeps items without a function form in the rounds of the tool loop', async () => {
      const compaction = opaque[0] as WireItem;
      const { model, inputOf } = await start(
        convert,
        [[message(['Old.']), script(compaction), functionCall('weather', '{}')], [message(['Sunny'])]],
        { weather: { inputSchema: z.object({}), execute: async () => 'sunny' } },
      );
      const result = await run(sdk, { model, prompt: 'Hi' });
      expect(result.text).toContain('Sunny');
      const types = inputOf(1).map(({ type }) => type);
      expect(types.slice(types.indexOf('compaction'))).toEqual([
        'compaction',
        'function_call',
        'function_call_output',
      ]);
      expect(inputOf(1)).toContainEqual(compaction);
    });

    it('sends hosted calls unchanged in the rounds of the tool loop', async () => {
      const calls: readonly WireItem[] = [
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          status: 'completed',
          code: '1',
          container_id: 'cntr_1',
          outputs: null,
        },
        { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['a'], results: [] },
      ];
      const { model, inputOf } = await start(
        convert,
        [[...calls.map(script), functionCall('weather', '{}')], [message(['Sunny'])]],
        { weather: { inputSchema: z.object({}), execute: async () => 'sunny' } },
      );
      await run(sdk, { model, prompt: 'Hi' });
      expect(inputOf(1).slice(1, 3)).toEqual(calls);
    });

    it('sends the namespace and the caller of a call back', async () => {
      const { begun, item, deltas } = functionCall('weather', '{}');
      const fields = { namespace: 'crm', caller: { type: 'program', caller_id: 'call_p' } };
      const call = { begun: { ...begun, ...fields }, item: { ...item, ...fields }, deltas };
      const { model, inputOf } = await start(convert, [[call], [message(['Sunny'])]]);
      const tools = {
        weather: sdk.tool({
          inputSchema: z.object({}),
          providerOptions: { openai: { namespace: { name: 'crm', description: 'Customers' } } },
          execute: async () => 'sunny',
        }),
      };
      const result = await run(sdk, { model, prompt: 'Hi', tools, stopWhen: sdk.stepCountIs(3) });
      expect(result.text).toBe('Sunny');
      expect(inputOf(1)).toMatchObject([
        { role: 'user' },
        { type: 'function_call', call_id: 'call_1', ...fields },
        { type: 'function_call_output', call_id: 'call_1', caller: fields.caller },
      ]);
    });
  });

  it('generateObject and streamObject return the answer of the last round of the tool loop', async () => {
    const responses = [
      [message(['Let me check.']), functionCall('weather', '{}')],
      [message(['{"city":"Rome"}'], { id: 'msg_2' })],
    ];
    const tools = { weather: { inputSchema: z.object({}), execute: async () => 'sunny' } };
    const { model } = await start(convert, [...responses, ...responses], tools);
    const generated = await sdk.generateObject({ model, schema, prompt: 'Hi' });
    expect(generated.object).toEqual({ city: 'Rome' });
    const streamed = sdk.streamObject({ model, schema, prompt: 'Hi' });
    for await (const _part of streamed.partialObjectStream);
    expect(await streamed.object).toEqual({ city: 'Rome' });
  });

  const scripts = [
    message(['I will look.'], { id: 'msg_1', phase: 'commentary' }),
    message(['{"city":"Rome"}'], { id: 'msg_2', phase: 'final_answer' }),
  ];
  const withoutPhases = [message(['I will look.']), message(['{"city":"Rome"}'], { id: 'msg_2' })];
  const schema = z.object({ city: z.string() });

  it.each([
    ['with phases', scripts],
    ['without phases', withoutPhases],
  ])('generateObject returns the answer %s', async (_phases, sent) => {
    const { model } = await start(convert, [sent]);
    const { object } = await sdk.generateObject({ model, schema, prompt: 'Hi' });
    expect(object).toEqual({ city: 'Rome' });
  });

  it.each([
    ['with phases', scripts],
    ['without phases', withoutPhases],
  ])('streamObject returns the answer %s', async (_phases, sent) => {
    const { model } = await start(convert, [sent]);
    const { object, partialObjectStream } = sdk.streamObject({ model, schema, prompt: 'Hi' });
    const partial: unknown[] = [];
    for await (const part of partialObjectStream) partial.push(part);
    expect(await object).toEqual({ city: 'Rome' });
    expect(partial.at(-1)).toEqual({ city: 'Rome' });
  });
});
