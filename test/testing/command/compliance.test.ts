import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { contract } from '../_contract.js';
import { startEmulatorProcess } from './_command.js';

/*
 * The cases of a client of Open Responses (release 2026-04-24, https://www.openresponses.org/specification), against the
 * emulator that the command starts. Where the documents are at hand, each answer is validated with them, too.
 */

type Json = Record<string, unknown>;

let baseURL = '';
let stop: () => Promise<unknown>;
beforeAll(async () => {
  ({ baseURL, stop } = await startEmulatorProcess());
});
afterAll(() => stop());

/** The fields that the specification requires of every response object. */
const REQUIRED =
  'id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools ' +
  'tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature ' +
  'reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key';

function checkResponse(response: unknown): Json {
  for (const name of REQUIRED.split(' ')) expect(response).toHaveProperty(name);
  expect(contract?.('response', response) ?? []).toEqual([]);
  return response as Json;
}

async function send(body: Json, path = '/responses'): Promise<{ status: number; json: Json }> {
  const response = await fetch(baseURL + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', ...body }),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

async function respond(body: Json): Promise<Json> {
  const { status, json } = await send(body);
  expect({ status, error: json.error }).toEqual({ status: 200, error: null });
  return checkResponse(json);
}

/** Checks what the specification says about the order of events. */
function checkEvents(events: readonly Json[]): Json {
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress' } });
  const open = new Map<unknown, string>();
  for (const { type, output_index: index, delta } of events) {
    if (type === 'response.output_item.added') open.set(index, '');
    else if (index !== undefined) expect(open.has(index)).toBe(true);
    if (typeof delta === 'string') open.set(index, `${open.get(index)}${delta}`);
    if (type === 'response.output_item.done') open.delete(index);
  }
  expect(open.size).toBe(0);
  for (const event of events) expect(contract?.('event', event) ?? []).toEqual([]);
  const last = events.at(-1);
  expect(last?.type).toBe('response.completed');
  return checkResponse(last?.response);
}

async function stream(body: Json): Promise<{ events: Json[]; response: Json }> {
  const response = await fetch(`${baseURL}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', ...body, stream: true }),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = (await response.text()).split('\n\n').flatMap(frame => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    if (data === undefined) return [];
    const event = JSON.parse(data) as Json;
    expect(event.type).toBe(name);
    return [event];
  });
  return { events, response: checkEvents(events) };
}

const itemsOf = ({ output }: Json, type: string): Json[] =>
  (output as Json[]).filter(item => item.type === type);

const textOf = (response: Json): string =>
  itemsOf(response, 'message')
    .flatMap(({ content }) => content as Json[])
    .map(({ text }) => text)
    .join('');

const message = (role: string, text: string): Json => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Returns the weather of a city.',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

async function connect() {
  const socket = new WebSocket(`${baseURL.replace('http', 'ws')}/responses`);
  await once(socket, 'open');
  const ask = async (body: Json): Promise<Json[]> => {
    const events: Json[] = [];
    const done = new Promise<void>(resolve => {
      const listen = (data: Buffer): void => {
        const event = JSON.parse(data.toString()) as Json;
        events.push(event);
        if (!/^(response\.(completed|incomplete|failed)|error)$/.test(String(event.type))) return;
        socket.off('message', listen);
        resolve();
      };
      socket.on('message', listen);
    });
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-5', ...body }));
    await done;
    return events;
  };
  return { ask, close: () => socket.terminate() };
}

describe('the emulator passes the cases of Open Responses', () => {
  it('1: answers with a text', async () => {
    const response = await respond({ input: [message('user', 'Say hello in exactly three words.')] });
    expect(response).toMatchObject({ object: 'response', status: 'completed', error: null });
    expect(textOf(response)).not.toBe('');
  });

  it('2: streams a text', async () => {
    const { events, response } = await stream({ input: [message('user', 'Count from one to five.')] });
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(textOf(response));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'response.content_part.added',
        'response.output_text.done',
        'response.content_part.done',
      ]),
    );
  });

  it.each(['system', 'developer'])('3: accepts a message with the role %s', async role => {
    const response = await respond({
      input: [message(role, 'You are a pirate.'), message('user', 'Say hello.')],
    });
    expect(textOf(response)).not.toBe('');
  });

  it('4: repeats instructions', async () => {
    const instructions = 'Answer briefly.';
    expect(await respond({ instructions, input: 'Say hello.' })).toMatchObject({ instructions });
  });

  it('5: calls a tool', async () => {
    const response = await respond({
      input: "What's the weather in Oslo? Call get_weather.",
      tools: [weather],
    });
    const [call] = itemsOf(response, 'function_call');
    expect(call).toMatchObject({ name: 'get_weather', status: 'completed', call_id: expect.any(String) });
    expect(JSON.parse(String(call?.arguments))).toHaveProperty('location');
    expect(response.tools).toEqual([expect.objectContaining({ ...weather, strict: true })]);
  });

  it('6: streams the arguments of a call', async () => {
    const { events, response } = await stream({ input: 'Call get_weather for Oslo.', tools: [weather] });
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(itemsOf(response, 'function_call')[0]?.arguments);
  });

  it('7: continues after the output of a call', async () => {
    const input = [message('user', 'Call get_weather for Oslo.')];
    const first = await respond({
      input,
      tools: [weather],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    const [call] = itemsOf(first, 'function_call');
    const output = { type: 'function_call_output', call_id: call?.call_id, output: '{"sky":"snow"}' };
    const next = await respond({ input: [...input, ...(first.output as Json[]), output], tools: [weather] });
    expect(itemsOf(next, 'function_call')).toEqual([]);
    expect(textOf(next)).not.toBe('');
  });

  it('8: accepts an image', async () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
    const content = [{ type: 'input_text', text: 'What is in this image?' }, image];
    expect(textOf(await respond({ input: [{ type: 'message', role: 'user', content }] }))).not.toBe('');
  });

  it('9: accepts a conversation', async () => {
    const input = [
      message('user', 'My name is Ada.'),
      message('assistant', 'Hello Ada.'),
      message('user', 'And now?'),
    ];
    expect(textOf(await respond({ input }))).not.toBe('');
  });

  it('10: continues a stored response', async () => {
    const first = await respond({ input: 'My name is Ada.', store: true });
    const next = await respond({ input: 'And now?', previous_response_id: first.id });
    expect(next).toMatchObject({ previous_response_id: first.id, status: 'completed' });
  });

  it('11: returns reasoning with a summary', async () => {
    const { events, response } = await stream({
      input: 'Say hello.',
      reasoning: { effort: 'low', summary: 'auto' },
    });
    const deltas = events.filter(({ type }) => type === 'response.reasoning_summary_text.delta');
    const [item] = itemsOf(response, 'reasoning');
    expect(deltas.map(({ delta }) => delta).join('')).toBe((item?.summary as Json[])[0]?.text);
  });

  it('12: answers in a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const text = { format: { type: 'json_schema', name: 'city', schema, strict: true } };
    const response = await respond({ input: 'Name a city.', text });
    expect(JSON.parse(textOf(response))).toEqual({ city: expect.any(String) });
  });

  it('13: truncates at a number of tokens', async () => {
    const tools = [weather];
    const response = await respond({ input: 'Count from one to one hundred.', tools, max_output_tokens: 16 });
    expect(['completed', 'incomplete']).toContain(response.status);
    expect(response).toMatchObject({ max_output_tokens: 16 });
  });

  it('14: answers over a WebSocket', async () => {
    const { ask, close } = await connect();
    const events = await ask({ input: [message('user', 'Say hello.')] });
    expect(textOf(checkEvents(events))).not.toBe('');
    close();
  });

  it('15: continues without `store` on a WebSocket', async () => {
    const { ask, close } = await connect();
    const first = checkEvents(
      await ask({ input: 'Call get_weather for Oslo.', tools: [weather], store: false }),
    );
    const [call] = itemsOf(first, 'function_call');
    const output = { type: 'function_call_output', call_id: call?.call_id, output: 'snow' };
    const body = { input: [output], previous_response_id: first.id, tools: [weather], store: false };
    expect(checkEvents(await ask(body))).toMatchObject({ previous_response_id: first.id });
    close();
  });

  it('16: compacts a conversation, and continues with the result', async () => {
    const input = [message('user', 'Say hello.'), message('assistant', 'Hello.'), message('user', 'Thanks.')];
    const { status, json } = await send({ input }, '/responses/compact');
    expect({ status, object: json.object }).toEqual({ status: 200, object: 'response.compaction' });
    expect(contract?.('compact-response', json) ?? []).toEqual([]);
    expect(
      textOf(await respond({ input: [...(json.output as Json[]), message('user', 'And now?')] })),
    ).not.toBe('');
  });

  it.each([
    ['a missing model', { model: undefined, input: 'Hi' }, 400],
    ['an input of the wrong type', { input: 3 }, 400],
    ['a response that is not stored', { input: 'Hi', previous_response_id: 'resp_0' }, 400],
    ['an unknown parameter', { input: 'Hi', colour: 'red' }, 400],
  ])('17: rejects %s with an error object', async (_, body, expected) => {
    const { status, json } = await send(body);
    expect(status).toBe(expected);
    expect(json.error).toMatchObject({ type: 'invalid_request_error', message: expect.stringMatching(/\w/) });
    const { ask, close } = await connect();
    expect(await ask(body)).toEqual([expect.objectContaining({ type: 'error', status: expected })]);
    close();
  });
});
