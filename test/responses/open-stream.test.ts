import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { jsonSchema, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../_products.js';
import type { KelivoResponsesSettings } from '../../src/index.js';
import { collect, summarize } from '../_parts.js';
import { type ReceivedRequest, serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { sendEvents, serveWebSocket } from '../_websocket-server.js';
import { type AnyModel, asModel, type Major, majors } from '../core/versions/_majors.js';
import { HELLO, prompt } from './_model.js';
import { toResponse } from './stream/_fixtures/wire-events.js';

/** The events that announce the response. */
const ANNOUNCEMENT = HELLO.slice(0, 2);
const CONTENT = HELLO.slice(2);

const tools = { look: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'A tree.' }) };

const [ai5] = majors as [Major, ...Major[]];

/** A promise with its resolver. */
function createGate() {
  let open = (): void => {};
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}

type Answer = (response: ServerResponse, request: ReceivedRequest) => unknown;

const complete: Answer = response => response.end(toSse(CONTENT));
const contain =
  (event: object): Answer =>
  response =>
    response.end(toSse([event as never]));
const failed = (code: string) => ({
  type: 'response.failed',
  response: toResponse([], { status: 'failed', error: { code, message: 'No.' } }),
});

/**
 * Starts a server that announces each response and sends the rest when the client has reported the announcement. Later
 * requests are answered at once.
 */
async function serveHeld(...answers: Answer[]) {
  const reported = createGate();
  let count = 0;
  const server = await serve(async (response, request) => {
    if (request.path.endsWith('/cancel')) return void response.end('{}');
    const answer = answers[Math.min(count++, answers.length - 1)];
    const { background, store } = request.body;
    const announcement = ANNOUNCEMENT.map(event => ({
      ...event,
      response: { ...(event.response as object), ...(background === true && { background, store }) },
    }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toSse(announcement));
    await reported.opened;
    answer?.(response, request);
  });
  return { ...server, report: reported.open };
}

type Held = Pick<Awaited<ReturnType<typeof serveHeld>>, 'url' | 'report'>;

function providerAt({ url }: Pick<Held, 'url'>, major: Major, settings: KelivoResponsesSettings = {}) {
  const provider = major.createKelivo({
    baseURL: url,
    apiKey: 'sk-secret',
    toolLoop: { retry: { initialDelay: 1 } },
    ...settings,
  });
  onTestFinished(() => provider.close());
  return provider;
}

/** Reads a stream to its end, and reports the announcement when it arrives. */
async function read(model: unknown, { report }: Pick<Held, 'report'>, options: object = {}) {
  const { stream } = await (model as AnyModel).doStream({ prompt, ...options } as never);
  const parts: LanguageModelV2StreamPart[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV2StreamPart>) {
    parts.push(part);
    if (part.type === 'response-metadata') report();
  }
  return parts;
}

describe.each(newest(majors))('a response that is announced, under ai $ai', major => {
  const models = {
    'without a loop': (held: Held) => providerAt(held, major).responses('test-model'),
    'with the tools of the host': (held: Held) => providerAt(held, major)('test-model'),
    'with tools': (held: Held) => providerAt(held, major, { tools })('test-model'),
  };

  it.each(Object.entries(models))('opens the stream before the first output, %s', async (_, create) => {
    const held = await serveHeld(complete);
    const parts = await read(create(held), held);
    expect(parts.slice(0, 2)).toMatchObject([
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'resp_1' },
    ]);
    expect(parts.filter(({ type }) => type === 'stream-start')).toHaveLength(1);
    expect(parts.filter(({ type }) => type === 'response-metadata')).toHaveLength(1);
    expect(summarize(parts).texts).toEqual(['Hello there']);
    expect(held.requests).toHaveLength(1);
  });

  it('opens the stream before the first output, over a WebSocket', async () => {
    const reported = createGate();
    const { baseURL } = await serveWebSocket({
      async respond({ socket }) {
        sendEvents(socket, ANNOUNCEMENT);
        await reported.opened;
        sendEvents(socket, CONTENT);
      },
    });
    const provider = providerAt({ url: baseURL }, major, { transport: 'websocket' });
    const parts = await read(provider('test-model'), { report: reported.open });
    expect(summarize(parts).texts).toEqual(['Hello there']);
  });

  it('begins a step of streamText before the first output', async () => {
    const held = await serveHeld(complete);
    const { fullStream } = major.sdk.streamText({
      model: asModel(providerAt(held, major)('test-model')),
      prompt: 'Hi',
    });
    let text = '';
    for await (const part of fullStream) {
      if (part.type === 'start-step') held.report();
      if (part.type === 'text-delta') text += part.text;
    }
    expect(text).toBe('Hello there');
  });

  it.each<[string, number, Answer]>([
    ['within the text', 1, response => response.end(toSse(CONTENT.slice(0, 3)))],
    [
      'within the text by a lost connection',
      1,
      response => void response.write(toSse(CONTENT.slice(0, 3)), () => response.destroy()),
    ],
    ['before the output, again and again', 3, response => response.end()],
  ])('that is cut %s ends as interrupted where that exists', async (_, requests, cut) => {
    const held = await serveHeld(cut);
    const errors: unknown[] = [];
    const result = major.sdk.streamText({
      model: asModel(providerAt(held, major).responses('test-model')),
      prompt: 'Hi',
      onError: ({ error }) => void errors.push(error),
    });
    const finishes: unknown[] = [];
    for await (const part of result.fullStream) {
      if (part.type === 'start-step') held.report();
      if (part.type === 'finish-step') finishes.push(part.finishReason);
    }
    expect(finishes).toEqual([major.ai === 7 ? 'interrupted' : 'error']);
    expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: true }]);
    expect(held.requests).toHaveLength(requests);
  });

  it('that is cut in a turn with tools ends as interrupted where that exists', async () => {
    const held = await serveHeld(response => response.end(toSse(CONTENT.slice(0, 3))));
    const provider = providerAt(held, major, { tools });
    const parts = await read(provider('test-model'), held);
    expect(parts.filter(({ type }) => type === 'error')).toHaveLength(1);
    const { finishReason } = parts.at(-1) as { finishReason?: unknown };
    expect((finishReason as { unified?: string }).unified ?? finishReason).toBe(
      major.ai === 7 ? 'interrupted' : 'error',
    );
    expect(held.requests).toHaveLength(3);
  });
});

describe('a failure after the announcement and before the output', () => {
  const TRANSIENT: [string, Answer][] = [
    ['rate limit', contain({ type: 'error', code: 'rate_limit_exceeded', message: 'No.' })],
    ['server error', contain({ type: 'error', code: 'server_error', message: 'No.' })],
    ['overload', contain(failed('server_is_overloaded'))],
    ['early end', response => response.end()],
    ['lost connection', response => response.destroy()],
  ];
  const models = {
    'without a loop': {},
    'in a turn': { tools },
  };
  const rows = TRANSIENT.flatMap(([name, answer]) =>
    Object.entries(models).map(([where, settings]) => ({ name, where, answer, settings })),
  );

  it.each(rows)('is repeated in the same stream: $name, $where', async ({ answer, settings }) => {
    const held = await serveHeld(answer, complete);
    const { texts, errors, finishReason } = summarize(
      await read(providerAt(held, ai5, settings)('test-model'), held),
    );
    expect({ texts, errors, finishReason }).toEqual({
      ...{ texts: ['Hello there'], errors: [], finishReason: 'stop' },
    });
    expect(held.requests).toHaveLength(2);
  });

  it('is repeated with another key', async () => {
    const refused = contain({ type: 'error', code: 'insufficient_quota', message: 'No.' });
    const held = await serveHeld(refused, complete);
    const model = providerAt(held, ai5, { apiKey: ['sk-1', 'sk-2'] }).responses('test-model');
    expect(summarize(await read(model, held)).texts).toEqual(['Hello there']);
    expect(held.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-1', 'Bearer sk-2']);
  });

  it('is repeated without the tool that the server rejects', async () => {
    const message = "Invalid schema for function 'bad': In context=(), it is wrong.";
    const held = await serveHeld(
      contain({ type: 'error', error: { type: 'invalid_request_error', message } }),
      complete,
    );
    const declared = ['good', 'bad'].map(name => ({
      type: 'function',
      name,
      inputSchema: { type: 'object' },
    }));
    const model = providerAt(held, ai5).responses('test-model');
    expect(summarize(await read(model, held, { tools: declared })).texts).toEqual(['Hello there']);
    const namesOf = ({ body }: ReceivedRequest) => (body.tools as { name: string }[]).map(({ name }) => name);
    expect(held.requests.map(namesOf)).toEqual([['good', 'bad'], ['good']]);
  });

  it.each<[string, number, Answer]>([
    ['final', 1, contain({ type: 'error', code: 'invalid_prompt', message: 'No.' })],
    ['repeated twice in vain', 3, contain(failed('server_error'))],
  ])('is the error of the stream if it is %s', async (_, requests, answer) => {
    const held = await serveHeld(answer);
    const parts = await read(providerAt(held, ai5).responses('test-model'), held);
    const { errors, finishReason } = summarize(parts);
    expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: requests > 1 }]);
    expect(finishReason).toBe('error');
    expect(held.requests).toHaveLength(requests);
  });

  it('rejects without repetitions within streams, because the stream waits for its output', async () => {
    const held = await serveHeld(response => response.end());
    const provider = providerAt(held, ai5, {
      toolLoop: { retry: { streamRetries: 0 } },
      timeouts: { idle: 400 },
    });
    const error = await read(provider.responses('test-model'), held).catch((reason: unknown) => reason);
    expect(APICallError.isInstance(error) && error.isRetryable).toBe(true);
  });
});

describe('a stream that is open without output', () => {
  const silent: Answer = () => {};

  it.each(['over HTTP', 'in the background'])('ends with the reason of an abort, %s', async where => {
    const held = await serveHeld(silent);
    const controller = new AbortController();
    const { stream } = await providerAt(held, ai5)
      .responses('test-model')
      .doStream({
        prompt,
        abortSignal: controller.signal,
        providerOptions: where === 'over HTTP' ? {} : { kelivo: { background: true } },
      });
    const reader = stream.getReader();
    expect((await reader.read()).value).toMatchObject({ type: 'stream-start' });
    expect((await reader.read()).value).toMatchObject({ type: 'response-metadata' });
    const next = reader.read();
    controller.abort(new DOMException('Enough.', 'AbortError'));
    await expect(next).rejects.toThrow('Enough.');
    expect(await held.requests[0]?.closed).toEqual({ complete: false });
    const isCancelled = () => held.requests.some(({ path }) => path.endsWith('/resp_1/cancel'));
    if (where !== 'over HTTP') await expect.poll(isCancelled).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('ends with the reason of an abort while the next attempt waits', async () => {
    const held = await serveHeld(contain(failed('server_error')));
    const settings = { toolLoop: { retry: { initialDelay: 60_000 } } };
    const controller = new AbortController();
    const { stream } = await providerAt(held, ai5, settings)
      .responses('test-model')
      .doStream({ prompt, abortSignal: controller.signal });
    held.report();
    expect(await held.requests[0]?.closed).toEqual({ complete: true });
    controller.abort(new DOMException('Enough.', 'AbortError'));
    await expect(collect(stream)).rejects.toThrow('Enough.');
    expect(held.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('closes the next attempt when it is cancelled, which waits for its response', async () => {
    const announced = createGate();
    const repeated = createGate();
    let count = 0;
    const server = await serve(async response => {
      if (++count === 2) return repeated.open();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(toSse(ANNOUNCEMENT));
      await announced.opened;
      contain(failed('server_error'))(response, undefined as never);
    });
    const { signal } = new AbortController();
    const { stream } = await providerAt(server, ai5)
      .responses('test-model')
      .doStream({ prompt, abortSignal: signal });
    announced.open();
    await repeated.opened;
    const closed: unknown[] = [];
    void server.requests[1]?.closed.then(end => closed.push(end));
    await stream.cancel();
    await expect.poll(() => closed, { timeout: 10_000 }).toEqual([{ complete: false }]);
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('closes the request when it is cancelled, and sends no other one', async () => {
    const held = await serveHeld(silent);
    const { signal } = new AbortController();
    const { stream } = await providerAt(held, ai5)
      .responses('test-model')
      .doStream({ prompt, abortSignal: signal });
    await stream.cancel();
    expect(await held.requests[0]?.closed).toEqual({ complete: false });
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
    expect(held.requests).toHaveLength(1);
  });
});
