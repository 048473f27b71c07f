import { describe, expect, it } from 'vitest';
import type { Fault, ScriptedResponse } from '../../src/testing/index.js';
import { outputOf, post, startEmulator, stream, textOf, toEvents } from './_emulator.js';

const body = { model: 'gpt-4o', input: 'Hi', stream: true };

/**
 * Sends one request and reads its body to the end. A connection counts as silent if no data arrives while the emulator
 * serves a series of other requests.
 */
async function receive(script: ScriptedResponse, { stream: streams = true }: { stream?: boolean } = {}) {
  const emulator = await startEmulator();
  emulator.enqueue(script);
  const controller = new AbortController();
  const response = await fetch(`${emulator.baseURL}/responses`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: streams }),
    signal: controller.signal,
  });
  const decoder = new TextDecoder();
  let text = '';
  let end = 'end';
  let chunks = 0;
  let isOver = false;
  const watch = async (): Promise<void> => {
    for (let seen = chunks, others = 0; !isOver && others < 20; others++) {
      await (await fetch(`${emulator.baseURL}/models`)).text();
      if (chunks !== seen) others = 0;
      seen = chunks;
    }
    if (!isOver) controller.abort();
  };
  const watching = watch();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      chunks++;
    }
  } catch {
    end = controller.signal.aborted ? 'silence' : 'cut';
  }
  isOver = true;
  await watching;
  return { status: response.status, headers: response.headers, text, end };
}

const typesOf = (text: string) => toEvents(text).map(({ type }) => type);

describe('scripted responses', () => {
  it('are consumed in order, then the rule-based model responds', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: 'one' }], { output: [{ text: 'two' }] });
    const texts: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const { json } = await post(emulator, { body: { model: 'gpt-4o', input: 'three' } });
      texts.push(textOf(json));
    }
    expect(texts).toEqual(['one', 'two', 'You said: three']);
  });

  it('are not consumed by a rejected request', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: 'one' }]);
    expect((await post(emulator, { body: { model: 'gpt-4o' } })).status).toBe(400);
    expect((await post(emulator, { body: { model: 'gpt-4o', input: 'Hi' } })).text).toContain('"one"');
  });

  it('complete every kind of item', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([
      { reasoning: ['first', 'second'] },
      { call: 'echo', arguments: { a: 1 }, callId: 'call_7' },
      { call: 'echo', arguments: '{"a":' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { refusal: 'I will not.' },
    ]);
    const events = await stream(emulator, body);
    const output = outputOf(events.at(-1)?.response);
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'first' }, { text: 'second' }] },
      { type: 'function_call', call_id: 'call_7', arguments: '{"a":1}', status: 'completed' },
      { type: 'function_call', call_id: expect.stringMatching(/^call_/), arguments: '{"a":' },
      { type: 'web_search_call', id: 'ws_1' },
      { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] },
    ]);
    const done = events.filter(({ type }) => type === 'response.output_item.done');
    expect(done.map(({ item }) => item)).toEqual(output);
    const summaries = events.filter(({ type }) => type === 'response.reasoning_summary_part.added');
    expect(summaries.map(event => event.summary_index)).toEqual([0, 1]);
    const refusal = events.filter(({ type }) => type === 'response.refusal.delta').map(({ delta }) => delta);
    expect(refusal.join('')).toBe('I will not.');
  });

  it('can be incomplete, without usage, and in another dialect', async () => {
    const { text } = await receive({
      output: [{ text: 'half' }],
      incomplete: 'content_filter',
      usage: null,
      events: events => events.filter(({ type }) => type !== 'response.in_progress'),
    });
    const events = toEvents(text);
    expect(events.map(({ type }) => type)).not.toContain('response.in_progress');
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'content_filter' }, output: [{ status: 'incomplete' }] },
    });
    expect(events.at(-1)?.response).not.toHaveProperty('usage');
  });

  it('can be any status with the error of the API', async () => {
    const limited = await receive({ status: 429, retryAfter: 2 });
    expect(limited).toMatchObject({ status: 429, end: 'end' });
    expect(limited.headers.get('retry-after')).toBe('2');
    expect(JSON.parse(limited.text)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(JSON.parse((await receive({ status: 500 })).text)).toMatchObject({
      error: { type: 'server_error' },
    });
    const recorded = await receive({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: 'data: {}\n\n',
    });
    expect(recorded.text).toBe('data: {}\n\n');
  });

  it('report the cached part of a repeated long prompt', async () => {
    const emulator = await startEmulator();
    const long = { model: 'gpt-4o', input: 'Hi', instructions: 'Be brief. '.repeat(600) };
    const cached = async () => {
      const { json } = await post(emulator, { body: long });
      return (json.usage as { input_tokens_details: { cached_tokens: number } }).input_tokens_details
        .cached_tokens;
    };
    expect([await cached(), await cached()]).toEqual([0, 1408]);
  });
});

describe('faults of a stream', () => {
  const output = [{ text: 'Hi' }];
  const all = 9;
  const cases: [string, Fault, { end: string; count: number; last: string }][] = [
    [
      'drop the connection',
      { fault: 'cut' },
      { end: 'cut', count: all - 1, last: 'response.output_item.done' },
    ],
    [
      'drop the connection early',
      { fault: 'cut', after: 3 },
      { end: 'cut', count: 3, last: 'response.output_item.added' },
    ],
    ['end early', { fault: 'early-end' }, { end: 'end', count: all - 1, last: 'response.output_item.done' }],
    ['stall', { fault: 'stall', after: 1 }, { end: 'silence', count: 1, last: 'response.created' }],
    ['fail', { fault: 'failed', after: 5 }, { end: 'end', count: 6, last: 'response.failed' }],
    ['end with an error', { fault: 'error-event' }, { end: 'end', count: 3, last: 'error' }],
    [
      'fail after an error',
      { fault: 'error-event', thenFailed: true },
      { end: 'end', count: 4, last: 'response.failed' },
    ],
    ['go slowly', { fault: 'slow', delay: 2 }, { end: 'end', count: all, last: 'response.completed' }],
  ];
  it.each(cases)('%s', async (_, fault, { end, count, last }) => {
    const received = await receive({ ...fault, output });
    expect(received.end).toBe(end);
    const types = typesOf(received.text);
    expect(types).toHaveLength(count);
    expect(types.at(-1)).toBe(last);
  });

  it('put the error in the place that the shape selects', async () => {
    const error = async (shape: 'flat' | 'nested' | 'bare') => {
      const { text } = await receive({
        fault: 'error-event',
        shape,
        code: 'rate_limit_exceeded',
        message: 'Slow down',
      });
      return JSON.parse(text.slice(text.lastIndexOf('data: ') + 6)) as Record<string, unknown>;
    };
    expect(await error('flat')).toMatchObject({
      type: 'error',
      code: 'rate_limit_exceeded',
      message: 'Slow down',
    });
    expect(await error('nested')).toMatchObject({ type: 'error', error: { message: 'Slow down' } });
    expect(Object.keys(await error('bare'))).toEqual(['error']);
  });

  it('apply before the headers with `after: 0`', async () => {
    await expect(receive({ fault: 'cut', after: 0 })).rejects.toThrow('fetch failed');
    expect(await receive({ fault: 'stall', after: 0 })).toMatchObject({
      status: 200,
      text: '',
      end: 'silence',
    });
  });

  it('carry the error of a failed response', async () => {
    const { text } = await receive({ fault: 'failed', code: 'server_error', message: 'Broken' });
    expect(toEvents(text).at(-1)).toMatchObject({
      response: { status: 'failed', error: { code: 'server_error', message: 'Broken' } },
    });
  });

  it('send an invalid JSON line and continue', async () => {
    const { text, end } = await receive({ fault: 'malformed' });
    const broken = text.split('\n').filter(line => line.startsWith('data: ') && !line.endsWith('}'));
    expect(broken).toHaveLength(1);
    expect(text).toContain('response.completed');
    expect(end).toBe('end');
  });

  it('replace the complete response', async () => {
    const page = await receive({ fault: 'html' });
    expect(page.headers.get('content-type')).toBe('text/html');
    expect(page.text).toMatch(/^<!DOCTYPE html>/);
    expect(await receive({ fault: 'empty' })).toMatchObject({ status: 200, text: '', end: 'end' });
    const chat = await receive({ fault: 'chat-completions' });
    expect(chat.text).toContain('"object":"chat.completion.chunk"');
    expect(chat.text).toMatch(/data: \[DONE\]\n\n$/);
  });
});

describe('faults of a body', () => {
  const receiveBody = (fault: Fault) => receive(fault, { stream: false });

  it('truncate it or keep the connection open', async () => {
    expect(await receiveBody({ fault: 'cut' })).toMatchObject({ end: 'cut' });
    expect(await receiveBody({ fault: 'stall' })).toMatchObject({ end: 'silence' });
    const { text, end } = await receiveBody({ fault: 'early-end' });
    expect(end).toBe('end');
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('report an error with status 200', async () => {
    expect(JSON.parse((await receiveBody({ fault: 'failed' })).text)).toMatchObject({
      status: 'failed',
      output: [],
    });
    expect(JSON.parse((await receiveBody({ fault: 'error-event' })).text)).toMatchObject({
      error: { code: 'server_error' },
    });
    expect(JSON.parse((await receiveBody({ fault: 'chat-completions' })).text)).toMatchObject({
      object: 'chat.completion',
    });
  });
});
