import { startResponsesEmulator } from '../../src/testing/index.js';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { outputOf, post, startEmulator, stream, tool } from './_emulator.js';

describe('startResponsesEmulator', () => {
  it('returns a response object', async () => {
    const emulator = await startEmulator();
    const { status, json } = await post(emulator, { body: { model: 'gpt-4o', input: 'Hello there' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ object: 'response', status: 'completed', model: 'gpt-4o', store: true });
    expect(outputOf(json)).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'You said: Hello there', annotations: [], logprobs: [] }],
      },
    ]);
  });

  it('streams text in the order of the API', async () => {
    const emulator = await startEmulator();
    const events = await stream(emulator, { model: 'gpt-4o', input: 'Hi' });
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index));
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe('You said: Hi');
    const item = events[2]?.item as { id: string };
    expect(deltas[0]).toMatchObject({ item_id: item.id, output_index: 0, content_index: 0 });
    expect(events[0]).toMatchObject({ response: { status: 'in_progress', output: [], usage: null } });
  });

  it('streams reasoning and a call in deltas before their final values', async () => {
    const emulator = await startEmulator();
    const events = await stream(emulator, {
      model: 'openai/gpt-5',
      input: 'What is the weather in New York?',
      tools: [tool('get_weather', { city: { type: 'string' } })],
      reasoning: { summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    });
    const types = [...new Set(events.map(({ type }) => type))];
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.completed',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.map(({ delta }) => delta).join('')).toBe('{"city":"New York"}');
    expect(deltas.every(event => event.output_index === 1)).toBe(true);
    const [added, done] = ['added', 'done'].map(
      end =>
        events.find(({ type }) => type === `response.output_item.${end}`)?.item as Record<string, unknown>,
    );
    expect(added?.encrypted_content).not.toBe(done?.encrypted_content);
    const terminal = events.at(-1)?.response as { output: { type: string }[]; usage: unknown };
    expect(terminal.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    expect(terminal.usage).toMatchObject({ output_tokens_details: { reasoning_tokens: 64 } });
  });

  it('returns the same response streamed and not streamed', async () => {
    const emulator = await startEmulator();
    const body = {
      model: 'gpt-4o',
      input: 'Echo "one two"',
      tools: [tool('echo', { text: { type: 'string' } })],
    };
    const { json } = await post(emulator, { body });
    const terminal = (await stream(emulator, body)).at(-1)?.response;
    const withoutIds = (response: unknown) =>
      JSON.parse(
        JSON.stringify(response).replace(
          /"(id|call_id)":"[^"]*"|"created_at":\d+|"completed_at":\d+/g,
          '"x":0',
        ),
      );
    expect(withoutIds(terminal)).toEqual({ ...withoutIds(json), stream: undefined });
  });

  it('rejects a wrong key without repeating it', async () => {
    const emulator = await startEmulator({ apiKey: ['sk-first-key-of-the-ring-0001', 'sk-second'] });
    const body = { model: 'gpt-4o', input: 'Hi' };
    const key = 'sk-wrong-key-with-a-long-secret-0002';
    const wrong = await post(emulator, { body, headers: { authorization: `Bearer ${key}` } });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toMatchObject({ error: { code: 'invalid_api_key', type: 'invalid_request_error' } });
    expect(wrong.text).not.toContain(key);
    expect((await post(emulator, { body })).json).toMatchObject({
      error: { message: expect.stringContaining("You didn't provide an API key"), code: null },
    });
    expect((await post(emulator, { body, headers: { 'api-key': 'sk-second' } })).status).toBe(200);
    expect(emulator.requests.map(({ apiKeyIndex }) => apiKeyIndex)).toEqual([undefined, undefined, 1]);
    expect(emulator.requests[0]?.headers.authorization).toBe('Bearer ***');
    expect(JSON.stringify(emulator.requests)).not.toContain('sk-');
  });

  it('numbers the keys in the order of their appearance if it accepts any', async () => {
    const emulator = await startEmulator();
    const body = { model: 'gpt-4o', input: 'Hi' };
    for (const key of ['sk-b', 'sk-a', 'sk-b']) {
      await post(emulator, { body, headers: { authorization: `Bearer ${key}` } });
    }
    await post(emulator, { body });
    expect(emulator.requests.map(({ apiKeyIndex }) => apiKeyIndex)).toEqual([0, 1, 0, undefined]);
    expect(JSON.stringify(emulator.requests)).not.toContain('sk-');
  });

  it('counts the scripts that are left, and removes them with the requests', async () => {
    const emulator = await startEmulator();
    const ask = async () => (await post(emulator, { body: { model: 'gpt-4o', input: 'Hi' } })).text;
    const { requests } = emulator;
    emulator.enqueue([{ text: 'One' }], [{ text: 'Two' }], { status: 500 });
    expect(await ask()).toContain('One');
    expect(emulator.pending).toBe(2);
    emulator.clear();
    expect([emulator.pending, requests, emulator.requests]).toEqual([0, [], []]);
    expect(await ask()).toContain('You said: Hi');
    expect(requests.map(({ body }) => [body.model, body.input])).toEqual([['gpt-4o', 'Hi']]);
  });

  it('serves only the paths of the API', async () => {
    const emulator = await startEmulator();
    const models = await (await fetch(`${emulator.url}/openai/v1/models`)).json();
    expect(models).toMatchObject({
      object: 'list',
      data: expect.arrayContaining([
        { id: 'gpt-5', object: 'model', created: expect.any(Number), owned_by: 'system' },
      ]),
    });
    const query = await post(emulator, {
      path: '/responses?api-version=v1',
      body: { model: 'gpt-4o', input: 'Hi' },
    });
    expect(query.status).toBe(200);
    const missing = await fetch(`${emulator.url}/v2/responses`, { method: 'POST', body: '{}' });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toEqual({
      error: {
        message: 'Invalid URL (POST /v2/responses)',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
  });

  it('rejects a body that is not JSON with a reason', async () => {
    const emulator = await startEmulator();
    const { status, json } = await post(emulator, { body: '{"model":' });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { message: expect.stringContaining('could not parse the JSON body') },
    });
    expect(emulator.requests[0]?.body).toBe('{"model":');
  });

  it('lets other requests pass between two events when it has a latency', async () => {
    const order: string[] = [];
    const quick = await startEmulator();
    const slow = await startEmulator({ latency: 100 });
    const streamed = stream(slow, { model: 'gpt-4o', input: 'Hi' }).then(() => order.push('slow'));
    for (let count = 0; count < 3; count++) {
      await stream(quick, { model: 'gpt-4o', input: 'Hi' });
      order.push('quick');
    }
    await streamed;
    expect(order).toEqual(['quick', 'quick', 'quick', 'slow']);
  });

  it('marks a request whose client disconnects', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ fault: 'stall', after: 2 });
    const controller = new AbortController();
    const response = await fetch(`${emulator.baseURL}/responses`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-4o', input: 'Hi', stream: true }),
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    controller.abort();
    await expect.poll(() => emulator.requests[0]?.aborted).toBe(true);
    await post(emulator, { body: { model: 'gpt-4o', input: 'Hi' } });
    expect(emulator.requests[1]?.aborted).toBe(false);
  });

  it('closes open connections immediately', async () => {
    const emulator = await startEmulator();
    const idle = connect(Number(new URL(emulator.url).port), '127.0.0.1');
    await once(idle, 'connect');
    emulator.enqueue({ fault: 'headers-never' });
    const silent = post(emulator, { body: { model: 'gpt-4o', input: 'Hi' } }).catch(() => 'cut');
    await expect.poll(() => emulator.requests).toHaveLength(1);
    await Promise.all([emulator.close(), emulator.close(), once(idle.resume(), 'close')]);
    expect(await silent).toBe('cut');
    await expect(fetch(emulator.url)).rejects.toThrow();
  });

  it('serves the Responses API only', async () => {
    const emulator = await startResponsesEmulator();
    const paths = ['/v1/chat/completions', '/v1beta/models/gemini-2.5-flash:generateContent'];
    const statuses = await Promise.all(
      paths.map(async path => (await fetch(emulator.url + path, { method: 'POST', body: '{}' })).status),
    );
    await emulator.close();
    expect(statuses).toEqual([404, 404]);
  });
});
