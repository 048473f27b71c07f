import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { hosts } from '../host-matrix/_host.js';
import { startEmulator } from '../testing/_emulator.js';

type Item = Record<string, unknown>;

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const conversation: ModelMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Get the weather in Oslo' },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'get_weather', input: { city: 'Oslo' } }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'get_weather',
        output: { type: 'text', value: 'rain' },
      },
    ],
  },
  { role: 'assistant', content: 'It rains.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look at this.' },
      { type: 'image', image: PIXEL },
    ],
  },
];

async function start() {
  const emulator = await startEmulator();
  const settings = { baseURL: emulator.baseURL, apiKey: 'test' };
  const inputOf = (index: number) => (emulator.requests.at(index)?.body as { input: Item[] }).input;
  return { emulator, settings, inputOf };
}

describe('compact', () => {
  it('keeps the messages of the system and the user, and replaces the others by an item', async () => {
    const { settings, emulator } = await start();
    const provider = createKelivoResponsesProvider(settings);
    const { messages, usage, warnings, response } = await provider.compact('gpt-5', {
      messages: conversation,
    });
    expect(emulator.requests[0]).toMatchObject({ path: '/v1/responses/compact', method: 'POST' });
    expect(Object.keys(emulator.requests[0]?.body as Item)).toEqual(['model', 'input']);
    expect(messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Get the weather in Oslo' }] },
      { role: 'user', content: [{ type: 'text' }, { type: 'image', image: PIXEL }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: '' }] },
    ]);
    expect(usage.inputTokens).toBeGreaterThan(10);
    expect(warnings).toEqual([]);
    expect(response.id).toMatch(/^resp_/);
  });

  it.each(hosts)(
    'returns messages that continue the conversation: $name',
    async ({ sdk, createProvider }) => {
      const { settings, inputOf } = await start();
      const provider = createProvider(settings);
      const { messages } = await provider.compact('gpt-5', { messages: conversation.slice(1) });
      // Applications store messages as JSON.
      const stored = JSON.parse(JSON.stringify(messages)) as ModelMessage[];
      const ask = (all: ModelMessage[]) =>
        sdk.generateText({ model: provider('gpt-5') as never, messages: all, maxRetries: 0 });
      const { text } = await ask([...stored, { role: 'user', content: 'Thank you' }]);
      expect(text).toBe('You said: Thank you');
      expect(inputOf(-1).map(({ type, role }) => role ?? type)).toEqual([
        'user',
        'user',
        'compaction',
        'user',
      ]);
      expect(inputOf(-1)[1]).toMatchObject({ content: [{}, { type: 'input_image', image_url: PIXEL }] });
    },
  );

  it('is compacted again, with the messages of the user before it', async () => {
    const { settings, inputOf } = await start();
    const provider = createKelivoResponsesProvider(settings);
    const first = await provider.compact('gpt-5', { messages: conversation });
    const second = await provider.compact('gpt-5', {
      messages: [...first.messages, { role: 'user', content: 'Thank you' }],
    });
    expect(inputOf(-1).filter(({ role }) => role === 'user')).toHaveLength(3);
    expect(second.messages.at(-1)).toMatchObject({ role: 'assistant' });
  });

  it.each(['openai', 'kelivo'])(
    'compacts all messages with the option `conversation` of %s',
    async namespace => {
      const { settings, emulator, inputOf } = await start();
      const provider = createKelivoResponsesProvider(settings);
      const providerOptions = { [namespace]: { conversation: 'conv_1' } };
      const { messages, warnings } = await provider.compact('gpt-5', {
        messages: conversation,
        providerOptions,
      });
      expect(inputOf(0)).toHaveLength(conversation.length);
      expect(emulator.requests[0]?.body).not.toHaveProperty('conversation');
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
      expect(warnings).toMatchObject([{ message: expect.stringContaining('`conversation` has no effect') }]);
    },
  );

  it('rejects with the error of the server, and for messages of another kind', async () => {
    const { settings, emulator } = await start();
    const { compact } = createKelivoResponsesProvider(settings);
    emulator.enqueue({ status: 404, body: 'Not Found' });
    await expect(compact('gpt-5', { messages: conversation })).rejects.toMatchObject({ statusCode: 404 });
    const wrong = { role: 'function', content: 'x' } as never;
    await expect(compact('gpt-5', { messages: [wrong] })).rejects.toThrow('Expected messages with the role');
  });
});
