import { expect, it } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../../src/index.js';
import type { ResponsesModelConfig } from '../../src/responses/config.js';
import { Exchange, type Handler, runHandlers } from '../../src/responses/exchange.js';
import { startEmulator } from '../testing/_emulator.js';
import { prompt } from './_model.js';

it('another key and another body repeat only what depends on them', async () => {
  const emulator = await startEmulator({ rules: 'none' });
  let encoded = 0;
  const keys: (string | null)[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: ['sk-first', 'sk-second'],
    fetch(input, init) {
      keys.push(new Headers(init?.headers).get('authorization'));
      return fetch(input, init);
    },
    extensions: [
      {
        id: 'acme.clock',
        toolType: 'acme:clock',
        encodeTool: ({ args }) => {
          encoded++;
          return args;
        },
      },
    ],
  });
  emulator.enqueue(
    { status: 401, body: { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } } },
    {
      status: 400,
      body: {
        error: { message: "Unsupported parameter: 'temperature' is not supported with this model." },
      },
    },
    [{ text: 'Noon.' }],
  );
  const { content, warnings } = await provider.responses('test-model').doGenerate({
    prompt,
    temperature: 0.5,
    tools: [{ type: 'provider-defined', id: 'acme.clock', name: 'clock', args: { zone: 'UTC' } }],
  });

  expect(content).toMatchObject([{ type: 'text', text: 'Noon.' }]);
  expect(keys).toEqual(['Bearer sk-first', 'Bearer sk-second', 'Bearer sk-second']);
  expect(emulator.requests.map(({ body }) => 'temperature' in (body as object))).toEqual([true, true, false]);
  expect(encoded).toBe(1);
  expect(warnings).toEqual([expect.objectContaining({ setting: 'temperature' })]);
});

const invalid = { providerOptions: { kelivo: { background: true, store: false } } };

it.each([
  ['a response', 'http', provider => provider.responses('test-model').doGenerate({ prompt, ...invalid })],
  ['a compaction', 'http', provider => provider.compact('test-model', { messages: prompt, ...invalid })],
  ['a compaction', 'websocket', provider => provider.compact('test-model', { messages: prompt, ...invalid })],
] satisfies [string, 'http' | 'websocket', (provider: KelivoResponsesProvider) => PromiseLike<unknown>][])(
  'an invalid call of %s fails before a key is taken (transport: %s)',
  async (_, transport, call) => {
    let taken = 0;
    const provider = createKelivoResponsesProvider({
      baseURL: 'http://127.0.0.1:1',
      apiKey: () => `sk-${++taken}`,
      transport,
    });
    await expect(call(provider)).rejects.toThrow(/`store` not to be false/);
    expect(taken).toBe(0);
  },
);

it('a response runs in the background if a field of the settings says so', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ text: 'Done.' }]);
  const models = { '*': { body: { background: true, store: true } } };
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, models });
  const { content } = await provider.responses('gpt-5').doGenerate({ prompt });
  expect(content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  // The first answer has no content yet, so that the state of the response is requested.
  expect(emulator.requests.map(({ method }) => method).slice(0, 2)).toEqual(['POST', 'GET']);
});

it('runs handlers from the outside to the inside, each around those after it', async () => {
  const order: string[] = [];
  const note =
    (name: string): Handler =>
    async (_exchange, next) => {
      order.push(`${name} begins`);
      const result = await next();
      order.push(`${name} ends`);
      return result;
    };
  const again: Handler = (_exchange, next) => next().catch(() => next());
  const exchange = new Exchange({ prompt: [], own: {}, isStream: false }, {} as ResponsesModelConfig);
  let attempts = 0;
  const open = async (): Promise<string> => {
    order.push('open');
    if (++attempts === 1) throw new Error('The first attempt fails.');
    return 'opened';
  };
  expect(await runHandlers(exchange, [note('a'), again, note('b')], open)).toBe('opened');
  expect(order).toEqual(['a begins', 'b begins', 'open', 'b begins', 'open', 'b ends', 'a ends']);
});
