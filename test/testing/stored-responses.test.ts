import { describe, expect, it } from 'vitest';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { RAW_REQUEST } from './_contract.js';
import { outputFor, outputOf, post, startEmulator, textOf, toEvents, tool, user } from './_emulator.js';

type Json = Record<string, unknown>;

const body = { model: 'gpt-5', input: [user('Hello there')], background: true };

async function get(emulator: ResponsesEmulator, path: string, method = 'GET') {
  const response = await fetch(`${emulator.baseURL}/responses/${path}`, { method });
  return { status: response.status, text: await response.text().catch(() => undefined) };
}

async function getJson(emulator: ResponsesEmulator, path: string, method?: string): Promise<Json> {
  const { status, text } = await get(emulator, path, method);
  return { httpStatus: status, ...(JSON.parse(text ?? '') as Json) };
}

const numbersOf = (events: readonly Json[]) => events.map(event => event.sequence_number);

describe('a response in the background', () => {
  it('is queued, then in progress, then complete', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ output: [{ text: 'Hello' }], background: { polls: 2 } });
    const { json } = await post(emulator, { body });
    expect(json).toMatchObject({ status: 'queued', background: true, output: [], usage: null });
    const states = [1, 2, 3, 4].map(() => () => getJson(emulator, String(json.id)));
    const seen: Json[] = [];
    for (const state of states) seen.push(await state());
    expect(seen.map(({ status }) => status)).toEqual([
      'in_progress',
      'in_progress',
      'completed',
      'completed',
    ]);
    expect(textOf(seen[2])).toBe('Hello');
  });

  it('stays queued if it never starts', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ background: { polls: Infinity } });
    const { json } = await post(emulator, { body });
    expect(await getJson(emulator, String(json.id))).toMatchObject({ status: 'queued' });
  });

  it('is streamed again from the beginning, or after an event', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: 'one two three' }]);
    const { text } = await post(emulator, { body: { ...body, stream: true } });
    const events = toEvents(text);
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const id = String((events[0]?.response as Json).id);
    const again = await get(emulator, `${id}?stream=true`);
    expect(toEvents(again.text ?? '')).toEqual(events);
    const rest = await get(emulator, `${id}?stream=true&starting_after=4`);
    expect(numbersOf(toEvents(rest.text ?? ''))).toEqual(numbersOf(events.slice(5)));
    expect(await getJson(emulator, `${id}?stream=true&starting_after=x`)).toMatchObject({ httpStatus: 400 });
  });

  it('is not streamed if it was created without a stream', async () => {
    const emulator = await startEmulator();
    const { json } = await post(emulator, { body });
    expect(await getJson(emulator, `${json.id}?stream=true`)).toMatchObject({ httpStatus: 400 });
  });

  it('is cut after each event, in every connection', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ output: [{ text: 'one' }], background: { cutAfter: 2 } });
    await expect(post(emulator, { body: { ...body, stream: true } })).rejects.toThrow('terminated');
  });

  it('is cancelled, repeatedly, which ends its stream', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ output: [{ text: 'one two' }], fault: 'stall', after: 5 });
    const response = await fetch(`${emulator.baseURL}/responses`, {
      method: 'POST',
      headers: RAW_REQUEST,
      body: JSON.stringify({ ...body, stream: true }),
    });
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const id = /"id":"(resp_\w+)"/.exec(first)?.[1] ?? '';
    expect(await getJson(emulator, `${id}/cancel`, 'POST')).toMatchObject({ status: 'cancelled' });
    expect(await getJson(emulator, `${id}/cancel`, 'POST')).toMatchObject({
      status: 'cancelled',
      output: [],
    });
    expect(await getJson(emulator, id)).toMatchObject({ status: 'cancelled' });
    expect(await get(emulator, `${id}?stream=true`)).toEqual({ status: 200, text: '' });
    await reader?.cancel();
  });

  it('requires a stored response', async () => {
    const emulator = await startEmulator();
    expect(await post(emulator, { body: { ...body, store: false } })).toMatchObject({ status: 400 });
    expect(await post(emulator, { body: { ...body, background: 'yes' } })).toMatchObject({ status: 400 });
  });
});

describe('a stored response', () => {
  it('is found until it is deleted, and cannot be cancelled', async () => {
    const emulator = await startEmulator();
    const { json } = await post(emulator, { body: { ...body, background: false } });
    const id = String(json.id);
    expect(await getJson(emulator, id)).toMatchObject({ id, status: 'completed', background: false });
    expect(await getJson(emulator, `${id}/cancel`, 'POST')).toMatchObject({ httpStatus: 400 });
    expect(await getJson(emulator, id, 'DELETE')).toMatchObject({ deleted: true });
    expect(await getJson(emulator, id)).toMatchObject({
      httpStatus: 404,
      error: { message: `Response with id '${id}' not found.` },
    });
  });

  it('is not found if it was not stored', async () => {
    const emulator = await startEmulator();
    const { json } = await post(emulator, { body: { model: 'gpt-5', input: 'Hi', store: false } });
    expect(await getJson(emulator, String(json.id))).toMatchObject({ httpStatus: 404 });
  });
});

describe('an encoded request', () => {
  it('is read if the encoding is accepted', async () => {
    const [plain, zipped] = [
      await startEmulator(),
      await startEmulator({ requestEncodings: ['gzip'] }),
    ] as const;
    const content = new Response(JSON.stringify({ model: 'gpt-5', input: 'Hi '.repeat(1000) }));
    const bytes = await new Response(content.body?.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
    const send = (emulator: ResponsesEmulator) =>
      fetch(`${emulator.baseURL}/responses`, {
        method: 'POST',
        headers: { 'content-encoding': 'gzip' },
        body: bytes,
      });
    expect((await send(plain)).status).toBe(415);
    expect((await send(zipped)).status).toBe(200);
    expect(zipped.requests[0]).toMatchObject({ body: { model: 'gpt-5' }, bodyLength: bytes.byteLength });
  });
});

it('continues a conversation, which later requests name', async () => {
  const emulator = await startEmulator();
  const ask = (body: object) => post(emulator, { body: { model: 'gpt-4o', ...body } });
  const tools = [tool('get_weather', { city: { type: 'string' } })];
  const first = await ask({ input: 'Call get_weather for Oslo.', conversation: 'conv_1', tools });
  expect(first.json).toMatchObject({ conversation: { id: 'conv_1' } });
  const result = outputFor(outputOf(first.json)[0], 'snow');
  // The output of a call is valid only where the call is.
  expect((await ask({ input: [result] })).status).toBe(400);
  const second = await ask({ input: [result], conversation: { id: 'conv_1' }, tools });
  expect(textOf(second.json)).toContain('snow');
  expect((await ask({ input: 'Hi' })).json).not.toHaveProperty('conversation');
});
