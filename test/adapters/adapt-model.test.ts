import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { generateText, jsonSchema } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { adaptModel } from '../../src/adapters/adapt-model.js';
import { createModelAdapterRegistry } from '../../src/adapters/registry.js';
import { defineModelAdapter, matchModelName } from '../../src/adapters/kit/model-adapter.js';
import { modelAdapters } from '../../src/adapters/model-adapters.js';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { serveJson } from '../_server.js';
import {
  finish,
  generate,
  ofType,
  scriptedModel,
  start,
  stream,
  textRound,
  typesOf,
} from '../tool-loop/_scripted-model.js';

const shout = defineModelAdapter({
  name: 'shout',
  appliesTo: matchModelName('loud'),
  middleware: {
    wrapGenerate: async ({ doGenerate }) => {
      const result = await doGenerate();
      return {
        ...result,
        content: result.content.map(part =>
          part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part,
        ),
      };
    },
  },
});

const named = (modelId: string): LanguageModelV2 => ({ ...scriptedModel(textRound('hi')), modelId });
const textOf = async (model: LanguageModelV2) => (await generate(model)).content;

describe('adaptModel', () => {
  it.each([
    {
      name: 'the matching adapters of a registry',
      adapters: createModelAdapterRegistry([shout]),
      quiet: 'hi',
    },
    { name: 'all adapters of a list', adapters: [shout], quiet: 'HI' },
  ])('wraps a model in $name', async ({ adapters, quiet }) => {
    expect(await textOf(adaptModel(named('maker/Loud-7B'), { adapters }))).toMatchObject([{ text: 'HI' }]);
    expect(await textOf(adaptModel(named('quiet-7b'), { adapters }))).toMatchObject([{ text: quiet }]);
  });

  it('returns a model of this package without matching adapters unchanged', () => {
    const model = createKelivoResponsesProvider()('gpt-5');
    expect(adaptModel(model)).toBe(model);
    expect(adaptModel(model, { adapters: [] })).toBe(model);
  });

  it('passes calls of other models without matching adapters on, with outputs in tool messages', async () => {
    const model = scriptedModel(textRound('Hello.'));
    const call = { toolCallId: 'call_1', toolName: 'add', providerExecuted: true };
    const output = { type: 'text' as const, value: '42' };
    await generate(adaptModel(model), {
      prompt: [
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', ...call, input: {} },
            { type: 'tool-result', toolCallId: 'call_1', toolName: 'add', output },
          ],
        },
      ],
    });
    expect(model.requests[0]?.prompt).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'add', input: {} }],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'add', output }],
      },
    ]);
  });

  it('keeps the identity of a model', () => {
    const { provider, supportedUrls } = named('loud');
    const adapted = adaptModel(named('loud'), { adapters: [shout] });
    expect(adapted).toMatchObject({ specificationVersion: 'v2', provider, modelId: 'loud', supportedUrls });
  });

  it('rejects a list with two adapters of the same name', () => {
    expect(() => adaptModel(named('loud'), { adapters: [shout, shout] })).toThrow('a second "shout"');
  });

  describe('streams the arguments of a call in the text', () => {
    const tools = [{ type: 'function' as const, name: 'save', inputSchema: { type: 'object' as const } }];
    const written = (content: string) =>
      `<tool_call>{"name": "save", "arguments": {"a": "${content}"}}</tool_call>`;
    const read = (text: string, modelId: string, streamArgumentsFrom?: number) => {
      const deltas = [...text].map(delta => ({ type: 'text-delta' as const, id: 't', delta }));
      const texts = [
        { type: 'text-start' as const, id: 't' },
        ...deltas,
        { type: 'text-end' as const, id: 't' },
      ];
      const model = { ...scriptedModel([start, ...texts, finish()]), modelId };
      return stream(
        adaptModel(model, { ...(streamArgumentsFrom !== undefined && { streamArgumentsFrom }) }),
        { tools },
      );
    };
    const deltasOf = async (...call: Parameters<typeof read>) =>
      ofType(await read(...call), 'tool-input-delta').length;

    it.each(['qwen3-8b', 'a-model-that-nobody-knows'])('of %s from a length', async modelId => {
      const [short, long] = [written('x'.repeat(50)), written('x'.repeat(300))];
      expect(await deltasOf(short, modelId)).toBe(1);
      expect(await deltasOf(short, modelId, 0)).toBeGreaterThan(40);
      expect(await deltasOf(long, modelId)).toBeGreaterThan(40);
      expect(await deltasOf(long, modelId, Infinity)).toBe(1);
    });

    it('and no call that may fail starts with Infinity', async () => {
      const truncated = written('x'.repeat(300)).slice(0, -20);
      const parts = await read(truncated, 'qwen3-8b', Infinity);
      expect(typesOf(parts)).not.toContain('tool-input-start');
      expect(
        ofType(parts, 'text-delta')
          .map(({ delta }) => delta)
          .join(''),
      ).toBe(truncated);
    });

    it('and rejects other lengths', () => {
      expect(() => adaptModel(named('loud'), { streamArgumentsFrom: -1 })).toThrow(
        'a number of characters, got -1',
      );
    });
  });

  describe('with the default registry', () => {
    afterEach(() => void modelAdapters.unregister('shout'));

    it('uses adapters that an application registers', async () => {
      modelAdapters.register(shout);
      expect(await textOf(adaptModel(named('loud')))).toMatchObject([{ text: 'HI' }]);
    });
  });
});

describe('adaptModel over models of other packages', () => {
  const response = {
    id: 'x',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Sun.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const messages = [
    { role: 'user' as const, content: 'Weather?' },
    {
      role: 'assistant' as const,
      content: [
        { type: 'tool-call' as const, toolCallId: 'call_0123456789abcdef', toolName: 'weather', input: {} },
      ],
    },
    {
      role: 'tool' as const,
      content: [
        {
          type: 'tool-result' as const,
          toolCallId: 'call_0123456789abcdef',
          toolName: 'weather',
          output: { type: 'text' as const, value: 'Sun' },
        },
      ],
    },
    { role: 'user' as const, content: 'And?' },
  ];

  it.each<[string, (baseURL: string) => LanguageModelV2]>([
    [
      '@ai-sdk/openai-compatible',
      baseURL => createOpenAICompatible({ name: 'local', baseURL })('devstral-small'),
    ],
    ['@ai-sdk/mistral', baseURL => createMistral({ baseURL, apiKey: 'key' })('mistral-small-latest')],
  ])('sends messages that Mistral accepts through %s', async (_, toModel) => {
    const { url, requests } = await serveJson(response);
    const { text } = await generateText({ model: adaptModel(toModel(url)), messages, maxRetries: 0 });
    expect(text).toBe('Sun.');
    const id: unknown = expect.stringMatching(/^[a-zA-Z0-9]{9}$/);
    expect(requests[0]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id, function: { name: 'weather', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: 'Sun' },
      { role: 'assistant', content: 'Understood.' },
      { role: 'user' },
    ]);
    const sent = requests[0]?.body['messages'] as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    expect(sent[1]?.tool_calls?.[0]?.id).toBe(sent[2]?.tool_call_id);
  });
});

describe('the setting `adapters` of a provider', () => {
  const completed = {
    id: 'resp_1',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'm',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'hi', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
  const provide = async (settings: KelivoResponsesSettings) => {
    const server = await serveJson(completed);
    return { server, provider: createKelivoResponsesProvider({ baseURL: server.url, ...settings }) };
  };
  const prompt = [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Count.' }] },
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'One,' }] },
  ];
  const rolesOf = ({ body }: { body: Record<string, unknown> }) =>
    (body['input'] as { role: string }[]).map(({ role }) => role);

  it('defaults to all families, except for models without a tool loop', async () => {
    const { server, provider } = await provide({});
    await provider('mistral-small').doGenerate({ prompt });
    await provider.responses('mistral-small').doGenerate({ prompt });
    await provider('gpt-5').doGenerate({ prompt });
    expect(server.requests.map(rolesOf)).toEqual([
      ['user', 'assistant', 'user'],
      ['user', 'assistant'],
      ['user', 'assistant'],
    ]);
  });

  it('turns adapters off with false', async () => {
    const { server, provider } = await provide({ adapters: false });
    await provider('mistral-small').doGenerate({ prompt });
    expect(server.requests.map(rolesOf)).toEqual([['user', 'assistant']]);
  });

  it('accepts a list, or a registry that is extended later', async () => {
    const registry = createModelAdapterRegistry();
    const listed = await provide({ adapters: [shout] });
    expect(await textOf(listed.provider('loud'))).toMatchObject([{ text: 'HI' }]);
    const { provider } = await provide({ adapters: registry });
    expect(await textOf(provider('loud'))).toMatchObject([{ text: 'hi' }]);
    registry.register(shout);
    expect(await textOf(provider('loud'))).toMatchObject([{ text: 'HI' }]);
  });

  it('applies inside the tool loop, which then sees corrected calls', async () => {
    const rename = defineModelAdapter({
      name: 'rename',
      appliesTo: () => true,
      middleware: {
        wrapGenerate: async ({ doGenerate }) => {
          const result = await doGenerate();
          const isFirst = result.content.some(part => part.type === 'text' && part.text === 'hi');
          return isFirst && !ran
            ? {
                ...result,
                content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' }],
                finishReason: 'tool-calls',
              }
            : result;
        },
      },
    });
    let ran = false;
    const { provider } = await provide({
      adapters: [rename],
      tools: {
        clock: {
          inputSchema: jsonSchema({ type: 'object' }),
          execute: () => {
            ran = true;
            return 'noon';
          },
        },
      },
    });
    expect(await textOf(provider('any'))).toMatchObject([{ text: 'hi' }]);
    expect(ran).toBe(true);
  });

  it.each<[unknown, string]>([
    [
      true,
      'Invalid `adapters` of the provider settings: expected a registry of adapters, a list of adapters or their names, or false',
    ],
    [{}, 'Invalid `adapters` of the provider settings'],
    [
      [{ name: 'a' }],
      'Expected `appliesTo` of the adapter "a" to be a function of a model id, got undefined.',
    ],
    [[shout, shout], 'Expected a unique adapter name, got a second "shout".'],
  ])('is checked when the provider is created', (adapters, message) => {
    expect(() => createKelivoResponsesProvider({ adapters: adapters as false })).toThrow(message);
  });
});
