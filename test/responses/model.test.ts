import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collect, summarize } from '../_parts.js';
import { serve, serveBody, serveJson } from '../_server.js';
import { toSse } from '../_sse.js';
import { flushCallbacks } from '../tool-loop/_tools.js';
import { HELLO, modelAt, prompt, rejectionOf, serveBeginning } from './_model.js';
import { message, toResponse } from './stream/_fixtures/wire-events.js';

/** The number of events of HELLO before the first text. */
const SILENT_EVENTS = 2;

/** Stops the clock. A promise that settles afterwards does not wait for a timer. */
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });

afterEach(() => {
  vi.useRealTimers();
});

/** Ways in which a stream ends without its terminal event. */
const BREAKS: [string, (response: ServerResponse) => void][] = [
  ['ends', response => response.end()],
  ['breaks', response => response.destroy()],
  [
    'contains an error',
    response => response.end(toSse([{ type: 'error', code: 'server_error', message: 'No.' }])),
  ],
];

describe('doStream', () => {
  it('sends the request and streams the response', async () => {
    const server = await serveBody(toSse(HELLO), { headers: { 'x-request-id': 'req_1' } });
    const { stream, request, response } = await modelAt(server).doStream({ prompt });
    const parts = await collect(stream);
    expect(parts[0]).toEqual({ type: 'stream-start', warnings: [] });
    expect(summarize(parts)).toMatchObject({ texts: ['Hello there'], finishReason: 'stop' });
    expect(server.requests).toMatchObject([
      {
        path: '/v1/responses',
        headers: { authorization: 'Bearer sk-secret' },
        body: { model: 'test-model', stream: true },
      },
    ]);
    expect(request?.body).toEqual(server.requests[0]?.body);
    expect(response?.headers).toMatchObject({ 'x-request-id': 'req_1' });
  });

  it('starts the stream with the warnings', async () => {
    const { stream } = await modelAt(await serveBody(toSse(HELLO))).doStream({ prompt, topK: 3 });
    expect((await collect(stream))[0]).toEqual({
      type: 'stream-start',
      warnings: [{ type: 'unsupported-setting', setting: 'topK' }],
    });
  });

  it('reads a JSON document, which some servers return for a streaming request', async () => {
    const server = await serveJson(toResponse([message(['Hello there'])]));
    const { stream } = await modelAt(server).doStream({ prompt });
    expect(summarize(await collect(stream))).toMatchObject({ texts: ['Hello there'], finishReason: 'stop' });
  });

  it('prefers the headers of the call to those of the settings, ignoring their case', async () => {
    const server = await serveBody(toSse(HELLO));
    const model = modelAt(server, { headers: { 'X-Team': 'settings', 'x-kept': 'yes' } });
    const { stream } = await model.doStream({
      prompt,
      headers: { 'x-team': 'call', AUTHORIZATION: 'Bearer call' },
    });
    await collect(stream);
    expect(server.requests[0]?.headers).toMatchObject({
      'x-team': 'call',
      'x-kept': 'yes',
      authorization: 'Bearer call',
    });
  });

  it('does not read ahead of a slow host', async () => {
    const [opening, delta] = [toSse(HELLO.slice(0, 4)), HELLO.slice(4, 5)];
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        const events =
          pulled === 0 ? opening : toSse(delta.map(event => ({ ...event, sequence_number: 3 + pulled })));
        pulled++;
        controller.enqueue(new TextEncoder().encode(events));
      },
    });
    const model = modelAt({ url: 'http://server.test' }, { fetch: async () => new Response(endless) });
    const { stream } = await model.doStream({ prompt });
    await flushCallbacks();
    expect(pulled).toBeLessThan(10);
    const reader = stream.getReader();
    for (let parts = 0; parts < 100; parts++) await reader.read();
    expect(pulled).toBeGreaterThan(90);
    expect(pulled).toBeLessThan(110);
    await reader.cancel();
  });

  describe('before the first content', () => {
    it.each<(typeof BREAKS)[number]>([
      ...BREAKS,
      [
        'contains a failed response',
        response =>
          response.end(
            toSse([
              {
                type: 'response.failed',
                response: toResponse([], {
                  status: 'failed',
                  error: { code: 'rate_limit_exceeded', message: 'No.' },
                }),
              },
            ]),
          ),
      ],
    ])('rejects with a retryable error if the stream %s', async (_, then) => {
      const { signal } = new AbortController();
      const error = await rejectionOf(
        modelAt(await serveBeginning(SILENT_EVENTS, then)).doStream({ prompt, abortSignal: signal }),
      );
      expect(error.isRetryable).toBe(true);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('rejects for a response of another API', async () => {
      const error = await rejectionOf(modelAt(await serveBody('<html></html>')).doStream({ prompt }));
      expect(error.message).toMatch(/got a web page/);
    });

    it('rejects even if raw parts are requested', async () => {
      const server = await serveBeginning(SILENT_EVENTS, response => response.end());
      await rejectionOf(modelAt(server).doStream({ prompt, includeRawChunks: true }));
    });
  });

  describe('after the first content', () => {
    it.each(BREAKS)('streams the error and a finish if the stream %s', async (_, then) => {
      const { stream } = await modelAt(await serveBeginning(6, then)).doStream({ prompt });
      const { texts, errors, finishReason, usage } = summarize(await collect(stream));
      expect(texts).toEqual(['Hello there']);
      expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: true }]);
      expect(finishReason).toBe('error');
      expect(usage).toEqual({ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined });
    });

    it('streams an error if the server stalls', async () => {
      const model = modelAt(await serveBeginning(6), { timeouts: { idle: 60 } });
      const { errors, finishReason } = summarize(await collect((await model.doStream({ prompt })).stream));
      expect(errors).toMatchObject([{ message: expect.stringContaining('timeouts.idle') }]);
      expect(finishReason).toBe('error');
    });
  });

  describe('when it is aborted', () => {
    it.each([
      ['before it starts', 0],
      ['before the first content', SILENT_EVENTS],
    ])('rejects with the reason, %s', async (_, count) => {
      const server = count === 0 ? await serve(() => {}) : await serveBeginning(count);
      const controller = new AbortController();
      const opening = Promise.resolve(modelAt(server).doStream({ prompt, abortSignal: controller.signal }));
      opening.catch(() => {});
      await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
      await new Promise(resolve => setTimeout(resolve, 20));
      stopClock();
      controller.abort(new DOMException('Enough.', 'AbortError'));
      await expect(opening).rejects.toThrow('Enough.');
      expect(await server.requests[0]?.closed).toEqual({ complete: false });
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    it('ends the stream with the reason and aborts the request, during the text', async () => {
      const server = await serveBeginning(6);
      const controller = new AbortController();
      const { stream } = await modelAt(server).doStream({ prompt, abortSignal: controller.signal });
      const reader = stream.getReader();
      for (let type = ''; type !== 'text-delta';) type = (await reader.read()).value?.type ?? '';
      stopClock();
      controller.abort(new DOMException('Enough.', 'AbortError'));
      const drained = (async () => {
        while (!(await reader.read()).done);
      })();
      await expect(drained).rejects.toThrow('Enough.');
      expect(await server.requests[0]?.closed).toEqual({ complete: false });
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });
  });

  it('aborts the request when the stream is cancelled', async () => {
    const server = await serveBeginning(6);
    const { signal } = new AbortController();
    const { stream } = await modelAt(server).doStream({ prompt, abortSignal: signal });
    const reader = stream.getReader();
    await reader.read();
    stopClock();
    await reader.cancel();
    expect(await server.requests[0]?.closed).toEqual({ complete: false });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves no listener on the signal after the stream ends', async () => {
    const { signal } = new AbortController();
    const { stream } = await modelAt(await serveBody(toSse(HELLO))).doStream({ prompt, abortSignal: signal });
    await collect(stream);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it.each([
  ['continues a response', { previousResponseId: 'resp_0' }, { responseId: 'resp_1' }],
  ['is stored', { store: true }, { responseId: 'resp_1' }],
  ['is not stored', {}, undefined],
])(
  'adds the response id to the parts of a call that %s, even if the server does not repeat it',
  async (_, openai, kelivo) => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
    const server = await serveJson({ id: 'resp_1', object: 'response', status: 'completed', output: [call] });
    const { content } = await modelAt(server).doGenerate({ prompt, providerOptions: { openai } });
    expect(content).toMatchObject([{ type: 'tool-call' }]);
    expect(Object(content[0]).providerMetadata?.kelivo).toEqual(kelivo);
  },
);
