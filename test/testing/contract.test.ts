import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { outputOf, post, refuse, startEmulator, stream, textOf, tool, user } from './_emulator.js';

type Json = Record<string, unknown>;

const base = { model: 'gpt-5', input: 'Hi' };

/** The fields that every response object of the API has, with their values for a request that sets none of them. */
const fields = {
  background: false,
  completed_at: expect.any(Number),
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  moderation: null,
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: 'in_memory',
  reasoning: { effort: 'medium', summary: null, context: 'current_turn', mode: 'standard' },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tool_usage: {
    image_gen: {
      input_tokens: 0,
      input_tokens_details: { image_tokens: 0, text_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { image_tokens: 0, text_tokens: 0 },
      total_tokens: 0,
    },
    web_search: { num_requests: 0 },
  },
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

const responsesOf = (events: readonly Json[]): Json[] =>
  events.flatMap(({ response }) => (response === undefined ? [] : [response as Json]));

describe('a response object', () => {
  it('has every field of the API, in the body and in each event', async () => {
    const emulator = await startEmulator();
    const { json } = await post(emulator, { body: base });
    expect(json).toMatchObject({ ...fields, object: 'response', status: 'completed' });
    expect(json.usage).toMatchObject({ input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } });
    const events = responsesOf(await stream(emulator, base));
    expect(events.map(({ status }) => status)).toEqual(['in_progress', 'in_progress', 'completed']);
    for (const response of events.slice(0, -1))
      expect(response).toMatchObject({ ...fields, completed_at: null, usage: null });
    expect(events.at(-1)).toMatchObject(fields);
  });

  it('has the reasoning of the request, and none for models without it', async () => {
    const emulator = await startEmulator();
    const reasoningOf = async (body: Json) =>
      (await post(emulator, { body: { ...base, ...body } })).json.reasoning;
    expect(await reasoningOf({ reasoning: { effort: 'low' } })).toEqual({
      ...fields.reasoning,
      effort: 'low',
    });
    expect(await reasoningOf({ model: 'gpt-4o' })).toEqual({ effort: null, summary: null });
  });

  it('completes tools and the format of the text', async () => {
    const emulator = await startEmulator();
    const given = tool('given', {}, 'Gives.');
    const { description: _, ...bare } = tool('bare');
    const body = { ...base, tools: [given, { ...bare, strict: false }, { type: 'function', name: 'empty' }] };
    const { json } = await post(emulator, { body });
    expect(json.tools).toEqual([
      { ...given, strict: true },
      { ...bare, description: null, strict: false },
      { type: 'function', name: 'empty', description: null, parameters: null, strict: true },
    ]);
    const textOf = async (text: Json) => (await post(emulator, { body: { ...base, text } })).json.text;
    expect(await textOf({ verbosity: 'low' })).toEqual({ format: { type: 'text' }, verbosity: 'low' });
    const format = { type: 'json_schema', name: 'answer', schema: { type: 'object', properties: {} } };
    expect(await textOf({ format })).toEqual({
      format: { ...format, description: null, strict: false },
      verbosity: 'medium',
    });
  });

  it('has null as its usage if it failed', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ fault: 'failed' }, { fault: 'failed' });
    expect((await post(emulator, { body: base })).json).toMatchObject({ status: 'failed', usage: null });
    const failed = responsesOf(await stream(emulator, base)).at(-1);
    expect(failed).toMatchObject({ ...fields, completed_at: null, error: {}, status: 'failed', usage: null });
  });
});

it('obfuscates deltas, unless the request declines it', async () => {
  const emulator = await startEmulator();
  const deltasOf = async (body: Json) =>
    (await stream(emulator, { ...base, ...body })).filter(({ type }) => String(type).endsWith('.delta'));
  const deltas = await deltasOf({});
  expect(deltas.length).toBeGreaterThan(0);
  for (const delta of deltas) expect(delta).toMatchObject({ obfuscation: expect.stringMatching(/^\w+$/) });
  for (const delta of await deltasOf({ stream_options: { include_obfuscation: false } }))
    expect(delta).not.toHaveProperty('obfuscation');
});

it('compacts a conversation to complete items that are accepted as input', async () => {
  const emulator = await startEmulator();
  const input = [{ role: 'user', content: 'Hi' }, user('And hello')];
  const { json } = await post(emulator, { path: '/responses/compact', body: { model: 'gpt-5', input } });
  const message = { id: expect.stringMatching(/^msg_/), type: 'message', status: 'completed', role: 'user' };
  expect(outputOf(json)).toEqual([
    { ...message, content: [{ type: 'input_text', text: 'Hi' }] },
    { ...message, content: [{ type: 'input_text', text: 'And hello' }] },
    {
      id: expect.stringMatching(/^cmp_/),
      type: 'compaction',
      encrypted_content: expect.any(String),
    },
  ]);
  const next = await post(emulator, { body: { model: 'gpt-5', input: [...outputOf(json), user('Bye')] } });
  expect(next.status).toBe(200);
});

describe('values outside the limits of the API', () => {
  const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key${index}`, 'value']));
  it.each<[param: string, code: string, body: Json]>([
    ['top_logprobs', 'integer_above_max_value', { top_logprobs: 21 }],
    ['top_logprobs', 'integer_below_min_value', { top_logprobs: -1 }],
    [
      'context_management[0].compact_threshold',
      'integer_below_min_value',
      { context_management: [{ type: 'compaction', compact_threshold: 10 }] },
    ],
    ['service_tier', 'invalid_value', { service_tier: 'gold' }],
    ['truncation', 'invalid_value', { truncation: 'sometimes' }],
    ['text.verbosity', 'invalid_value', { text: { verbosity: 'loud' } }],
    ['metadata', 'object_above_max_properties', { metadata }],
    ['metadata.a', 'invalid_type', { metadata: { a: 1 } }],
    ['metadata.a', 'string_above_max_length', { metadata: { a: 'x'.repeat(513) } }],
  ])('are rejected: %s, %s', async (param, code, body) => {
    const error = { status: 400, type: 'invalid_request_error', param, code };
    expect(await refuse({ ...base, ...body })).toMatchObject(error);
  });

  it('are not those at the limits', async () => {
    const emulator = await startEmulator();
    const body = {
      ...base,
      top_logprobs: 20,
      context_management: [{ type: 'compaction', compact_threshold: 1000 }],
      metadata: Object.fromEntries(Object.entries(metadata).slice(1)),
      service_tier: 'flex',
      truncation: null,
    };
    expect((await post(emulator, { body })).status).toBe(200);
  });
});

it('keeps the reasoning of a response on a WebSocket without `store`, until a turn fails', async () => {
  const emulator = await startEmulator();
  const socket = new WebSocket(`${emulator.baseURL.replace('http', 'ws')}/responses`);
  const ask = async (body: Json): Promise<Json> => {
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-5', store: false, ...body }));
    return new Promise(resolve => {
      const listen = (data: Buffer): void => {
        const frame = JSON.parse(data.toString('utf8')) as Json;
        if (!/^(response\.completed|error)$/.test(String(frame.type))) return;
        socket.off('message', listen);
        resolve(frame);
      };
      socket.on('message', listen);
    });
  };
  await new Promise(resolve => socket.once('open', resolve));
  const one = await ask({ input: 'Hi' });
  expect(outputOf(one.response)[0]).toMatchObject({ type: 'reasoning' });
  const previous = (one.response as Json).id;
  const two = await ask({ input: 'And now?', previous_response_id: previous });
  expect(two).toMatchObject({ type: 'response.completed' });
  const id = (two.response as Json).id;
  expect(await ask({ input: 'Hi', previous_response_id: id, truncation: 'sometimes' })).toMatchObject({
    type: 'error',
  });
  expect(await ask({ input: 'Hi', previous_response_id: id })).toMatchObject({
    error: { code: 'previous_response_not_found' },
  });
  socket.terminate();
});

describe('a WebSocket', () => {
  it.each([10, 200, 70_000])('carries a message of %i characters, in fragments, too', async length => {
    const emulator = await startEmulator();
    const socket = new WebSocket(`${emulator.baseURL.replace('http', 'ws')}/responses`);
    await once(socket, 'open');
    const input = 'x'.repeat(length);
    const frame = JSON.stringify({ type: 'response.create', model: 'gpt-4o', input });
    for (const fragments of [[frame], [frame.slice(0, 9), frame.slice(9, 99), frame.slice(99)]]) {
      const completed = new Promise(resolve => {
        socket.on('message', (data: Buffer) => {
          const event = JSON.parse(data.toString('utf8')) as Json;
          if (event.type === 'response.completed') resolve(textOf(event.response));
        });
      });
      fragments.forEach((text, index) => socket.send(text, { fin: index === fragments.length - 1 }));
      socket.ping('still there');
      expect(await completed).toBe(`You said: ${input}`);
      socket.removeAllListeners('message');
    }
    const pong = once(socket, 'pong');
    socket.ping('now');
    expect(String((await pong)[0])).toBe('now');
    socket.close();
    expect((await once(socket, 'close'))[0]).toBe(1000);
  });

  it('carries no binary message', async () => {
    const emulator = await startEmulator();
    const socket = new WebSocket(`${emulator.baseURL.replace('http', 'ws')}/responses`);
    await once(socket, 'open');
    socket.send(Buffer.from('{}'));
    expect((await once(socket, 'close'))[0]).toBe(1003);
  });
});
