import { describe, expect, it } from 'vitest';
import type { ResponsesEmulator, ScriptedResponse } from '../../src/testing/index.js';
import { post, startEmulator } from '../testing/_emulator.js';
import type { MultiApiEmulatorOptions } from './start-emulator.js';
import type { ScriptedChunks } from './scripted-chunks.js';

type Json = Record<string, unknown>;

const path = '/chat/completions';
const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const tools = [{ type: 'function', function: { name: 'add', parameters } }];
const ask = (content: string, more: Json = {}): Json => ({
  model: 'local-model',
  messages: [{ role: 'user', content }],
  ...more,
});

/** Returns the chunks of a stream. Data that is not JSON stays text. */
async function chunksOf(emulator: ResponsesEmulator, body: Json): Promise<unknown[]> {
  const { text } = await post(emulator, { path, body: { ...body, stream: true } });
  return text.split('\n\n').filter(Boolean).map(toData);
}

function toData(frame: string): unknown {
  const data = frame.replace(/^data: /, '');
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

const deltasOf = (chunks: readonly unknown[]): unknown[] =>
  chunks.flatMap(chunk =>
    ((chunk as { choices?: { delta: unknown }[] }).choices ?? []).map(({ delta }) => delta),
  );

async function start(...responses: ScriptedResponse[]): Promise<ResponsesEmulator> {
  const emulator = await startEmulator();
  emulator.enqueue(...responses);
  return emulator;
}

describe('a chat completion', () => {
  it('has a message, a finish reason and a usage', async () => {
    const { json } = await post(await start(), { path, body: ask('Hello') });
    expect(json).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'local-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'You said: Hello', refusal: null },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: 4,
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  it('calls tools', async () => {
    const { json } = await post(await start(), { path, body: ask('add 3', { tools }) });
    expect(json.choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            {
              id: expect.stringMatching(/^call_\w{24}$/),
              type: 'function',
              function: { name: 'add', arguments: '{"a":3}' },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it('contains reasoning, except for OpenAI models', async () => {
    const script = [{ reasoning: 'Hm.' }, { text: 'Yes.' }];
    const emulator = await start(script, script);
    const messageOf = async (model: string) => {
      const { json } = await post(emulator, { path, body: ask('Hi', { model }) });
      return (json.choices as { message: Json }[])[0]?.message;
    };
    expect(await messageOf('deepseek-r1')).toMatchObject({ content: 'Yes.', reasoning_content: 'Hm.' });
    expect(await messageOf('gpt-5')).not.toHaveProperty('reasoning_content');
  });

  it('consumes the same script as a response', async () => {
    const emulator = await start([{ text: 'one' }], [{ text: 'two' }]);
    const chat = await post(emulator, { path, body: ask('Hi') });
    const response = await post(emulator, { body: { model: 'local-model', input: 'Hi' } });
    expect([chat.text, response.text]).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
  });

  it('requires a key if one is configured', async () => {
    const emulator = await startEmulator({ apiKey: 'sk-test' });
    expect((await post(emulator, { path, body: ask('Hi') })).status).toBe(401);
  });
});

describe('a stream of chat completion chunks', () => {
  it('begins with the role and ends with the finish reason and [DONE]', async () => {
    const chunks = await chunksOf(await start(), ask('Hello you'));
    expect(deltasOf(chunks)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'You' },
      { content: ' said:' },
      { content: ' Hello' },
      { content: ' you' },
      {},
    ]);
    expect(chunks.at(-2)).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    });
    expect(chunks.at(-2)).not.toHaveProperty('usage');
    expect(chunks.at(-1)).toBe('[DONE]');
  });

  it('contains calls in chunks with their index', async () => {
    const emulator = await start([
      { call: 'add', arguments: '{"a":1234567}', callId: 'call_1' },
      { call: 'add', callId: 'call_2' },
    ]);
    const head = (id: string) => ({ id, type: 'function', function: { name: 'add', arguments: '' } });
    expect(deltasOf(await chunksOf(emulator, ask('Hi')))).toEqual([
      { role: 'assistant', content: null, refusal: null },
      { tool_calls: [{ index: 0, ...head('call_1') }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":12' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '34567}' } }] },
      { tool_calls: [{ index: 1, ...head('call_2') }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
  });

  it('contains the usage in a separate chunk on request', async () => {
    const chunks = await chunksOf(await start(), ask('Hello', { stream_options: { include_usage: true } }));
    expect(chunks.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 4 },
    });
    expect(chunks.slice(0, -2).every(chunk => (chunk as Json).usage === null)).toBe(true);
  });

  it('is rewritten as scripted', async () => {
    const script: ScriptedChunks = {
      output: [{ text: 'Hi' }],
      chunks: chunks => [...chunks.slice(0, 1), { choices: [{ index: 0, delta: { content: 'Ho' } }] }],
    };
    const emulator = await start(script);
    expect(deltasOf(await chunksOf(emulator, ask('Hi')))).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'Ho' },
    ]);
  });
});

describe('a fault in a stream of chunks', () => {
  const hello: ScriptedResponse = { output: [{ text: 'Hello' }] };

  it('drops the connection before the chunk with the finish reason', async () => {
    const emulator = await start({ ...hello, fault: 'cut' });
    const response = await fetch(emulator.baseURL + path, {
      method: 'POST',
      body: JSON.stringify(ask('Hi', { stream: true })),
    });
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('ends the body before the chunk with the finish reason', async () => {
    const chunks = await chunksOf(await start({ ...hello, fault: 'early-end' }), ask('Hi'));
    expect(deltasOf(chunks)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'Hello' },
    ]);
    expect(chunks).toHaveLength(2);
  });

  it('truncates the JSON of one chunk', async () => {
    const chunks = await chunksOf(await start({ ...hello, fault: 'malformed' }), ask('Hi'));
    expect(chunks[1]).toBe('{"object":"chat.completion.ch');
    expect(chunks).toHaveLength(5);
  });

  it.each<[string, MultiApiEmulatorOptions, Json]>([
    [
      'OpenAI',
      {},
      { error: { message: 'Overloaded', type: 'server_error', param: null, code: 'overloaded' } },
    ],
    [
      'Mistral',
      { rules: 'mistral' },
      { object: 'error', message: 'Overloaded', type: 'server_error', param: null, code: 'overloaded' },
    ],
  ])('ends it with an error in the format of %s', async (_, options, error) => {
    const emulator = await startEmulator(options);
    const fault = {
      ...hello,
      fault: 'error-event',
      code: 'overloaded',
      message: 'Overloaded',
      after: 2,
    } as const;
    emulator.enqueue(fault, fault);
    const chunks = await chunksOf(emulator, ask('Hi'));
    expect(chunks).toHaveLength(3);
    expect(chunks[2]).toEqual(error);
    expect((await post(emulator, { path, body: ask('Hi') })).json).toEqual(error);
  });

  it('is an HTTP status if the script sets one', async () => {
    const { status, json } = await post(await start({ status: 429, retryAfter: 1 }), {
      path,
      body: ask('Hi'),
    });
    expect(status).toBe(429);
    expect(json.error).toMatchObject({ code: 'rate_limit_exceeded' });
  });
});
