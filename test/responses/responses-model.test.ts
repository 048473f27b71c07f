import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { APICallError, type LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { collect, summarize, summarizeContent } from '../_parts.js';
import { serve, serveBody, serveJson, type TestServer } from '../_server.js';
import { toSse } from '../_sse.js';
import { ANSWERS } from './stream/_fixtures/answers.js';
import { functionCall, message, reasoning, toResponse, toStream } from './stream/_fixtures/wire-events.js';

const prompt: LanguageModelV2CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
];

const modelAt = ({ url }: Pick<TestServer, 'url'>, settings: Partial<KelivoResponsesSettings> = {}) =>
  createKelivoResponsesProvider({ baseURL: url, apiKey: 'sk-secret', ...settings }).responses('test-model');

const HELLO = toStream([message(['Hello there'])]);

/** The error a promise rejects with. */
async function refused(promise: PromiseLike<unknown>): Promise<APICallError> {
  const error = await Promise.resolve(promise).then(
    () => new Error('it did not reject'),
    (reason: unknown) => reason,
  );
  if (!APICallError.isInstance(error)) throw error;
  return error;
}

/** A server that sends the beginning of an answer, and then what `then` does. */
const serveBeginning = (count: number, then: (response: ServerResponse) => void = () => {}) =>
  serve(response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toSse(HELLO.slice(0, count)));
    setTimeout(then, 20, response);
  });

/** How many events of HELLO come before the first text. */
const SILENT_EVENTS = 2;

describe('doStream', () => {
  it('sends the request and streams the answer', async () => {
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

  it('begins the stream with the warnings', async () => {
    const { stream } = await modelAt(await serveBody(toSse(HELLO))).doStream({ prompt, topK: 3 });
    expect((await collect(stream))[0]).toEqual({
      type: 'stream-start',
      warnings: [{ type: 'unsupported-setting', setting: 'topK' }],
    });
  });

  it('reads a JSON document, too, which some servers answer although a stream was asked for', async () => {
    const server = await serveJson(toResponse([message(['Hello there'])]));
    const { stream } = await modelAt(server).doStream({ prompt });
    expect(summarize(await collect(stream))).toMatchObject({ texts: ['Hello there'], finishReason: 'stop' });
  });

  it('lets the headers of the call win over those of the settings, whatever their case', async () => {
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

  it('reads ahead of a slow host only a little', async () => {
    const [opening, delta] = [toSse(HELLO.slice(0, 4)), toSse(HELLO.slice(4, 5))];
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new TextEncoder().encode(pulled++ === 0 ? opening : delta)),
    });
    const model = modelAt({ url: 'http://server.test' }, { fetch: async () => new Response(endless) });
    const { stream } = await model.doStream({ prompt });
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(pulled).toBeGreaterThan(10);
    expect(pulled).toBeLessThan(100);
    await stream.cancel();
  });

  describe('before anything was said', () => {
    it.each([
      ['ends', (response: ServerResponse) => response.end()],
      ['breaks', (response: ServerResponse) => response.destroy()],
      [
        'brings an error',
        (response: ServerResponse) =>
          response.end(toSse([{ type: 'error', code: 'server_error', message: 'No.' }])),
      ],
      [
        'brings a failed response',
        (response: ServerResponse) =>
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
    ])('rejects, with leave to retry, when the stream %s', async (_, then) => {
      const { signal } = new AbortController();
      const error = await refused(
        modelAt(await serveBeginning(SILENT_EVENTS, then)).doStream({ prompt, abortSignal: signal }),
      );
      expect(error.isRetryable).toBe(true);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('rejects for an answer that is none', async () => {
      const error = await refused(modelAt(await serveBody('<html></html>')).doStream({ prompt }));
      expect(error.message).toMatch(/got a web page/);
    });

    it('rejects also where raw parts were asked for', async () => {
      const server = await serveBeginning(SILENT_EVENTS, response => response.end());
      await refused(modelAt(server).doStream({ prompt, includeRawChunks: true }));
    });
  });

  describe('after something was said', () => {
    it.each([
      ['ends', (response: ServerResponse) => response.end()],
      ['breaks', (response: ServerResponse) => response.destroy()],
      [
        'brings an error',
        (response: ServerResponse) =>
          response.end(toSse([{ type: 'error', code: 'server_error', message: 'No.' }])),
      ],
    ])('streams the error and a finish when the stream %s', async (_, then) => {
      const { stream } = await modelAt(await serveBeginning(6, then)).doStream({ prompt });
      const { texts, errors, finishReason, usage } = summarize(await collect(stream));
      expect(texts).toEqual(['Hello there']);
      expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: true }]);
      expect(finishReason).toBe('error');
      expect(usage).toEqual({ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined });
    });

    it('streams an error when the server falls silent for too long', async () => {
      const model = modelAt(await serveBeginning(6), { timeouts: { idle: 60 } });
      const { errors, finishReason } = summarize(await collect((await model.doStream({ prompt })).stream));
      expect(errors).toMatchObject([{ message: expect.stringContaining('timeouts.idle') }]);
      expect(finishReason).toBe('error');
    });
  });

  describe('when it is aborted', () => {
    it.each([
      ['before it began', 0],
      ['before anything was said', SILENT_EVENTS],
    ])('rejects with the reason, %s', async (_, count) => {
      const server = count === 0 ? await serve(() => {}) : await serveBeginning(count);
      const controller = new AbortController();
      const opening = Promise.resolve(modelAt(server).doStream({ prompt, abortSignal: controller.signal }));
      opening.catch(() => {});
      await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
      await new Promise(resolve => setTimeout(resolve, 20));
      const start = performance.now();
      controller.abort(new DOMException('Enough.', 'AbortError'));
      await expect(opening).rejects.toThrow('Enough.');
      expect(await server.requests[0]?.closed).toEqual({ complete: false });
      expect(performance.now() - start).toBeLessThan(100);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    it('errors the stream with the reason and ends the request, in the middle of the text', async () => {
      const server = await serveBeginning(6);
      const controller = new AbortController();
      const { stream } = await modelAt(server).doStream({ prompt, abortSignal: controller.signal });
      const reader = stream.getReader();
      for (let type = ''; type !== 'text-delta'; ) type = (await reader.read()).value?.type ?? '';
      const start = performance.now();
      controller.abort(new DOMException('Enough.', 'AbortError'));
      const drained = (async () => {
        while (!(await reader.read()).done);
      })();
      await expect(drained).rejects.toThrow('Enough.');
      expect(await server.requests[0]?.closed).toEqual({ complete: false });
      expect(performance.now() - start).toBeLessThan(100);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });
  });

  it('ends the request when the stream is cancelled', async () => {
    const server = await serveBeginning(6);
    const { signal } = new AbortController();
    const { stream } = await modelAt(server).doStream({ prompt, abortSignal: signal });
    const reader = stream.getReader();
    await reader.read();
    const start = performance.now();
    await reader.cancel();
    expect(await server.requests[0]?.closed).toEqual({ complete: false });
    expect(performance.now() - start).toBeLessThan(100);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves no listener on the signal when the stream has come to its end', async () => {
    const { signal } = new AbortController();
    const { stream } = await modelAt(await serveBody(toSse(HELLO))).doStream({ prompt, abortSignal: signal });
    await collect(stream);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('doGenerate', () => {
  for (const { title, events, response, expected } of ANSWERS) {
    it(`gives the same for ${title}, however the server answers`, async () => {
      const fromJson = await modelAt(await serveJson(response)).doGenerate({ prompt });
      const fromStream = await modelAt(await serveBody(toSse(events))).doGenerate({ prompt });
      const byType = (content: typeof fromJson.content) =>
        content.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)));
      expect(byType(fromStream.content)).toEqual(byType(fromJson.content));
      const { content, request: _, response: __, ...rest } = fromJson;
      expect(fromStream).toMatchObject(rest);
      expect(fromJson.finishReason).toBe(expected.finishReason);
      expect(summarizeContent(content).texts).toEqual(expected.texts ?? []);
      expect(summarizeContent(content).calls).toHaveLength(expected.calls?.length ?? 0);
    });
  }

  it('does not ask for a stream, and tells request and response', async () => {
    const server = await serveJson(toResponse([message(['Hi'])]));
    const { request, response, warnings } = await modelAt(server).doGenerate({ prompt, seed: 1 });
    expect(server.requests[0]?.body).not.toHaveProperty('stream');
    expect(request?.body).toEqual(server.requests[0]?.body);
    expect(response).toMatchObject({
      id: 'resp_1',
      modelId: 'test-model-2025-06-15',
      timestamp: new Date(1_750_000_000_000),
      headers: { 'content-type': 'application/json' },
    });
    expect(warnings).toEqual([{ type: 'unsupported-setting', setting: 'seed' }]);
  });

  it('rejects with the error of a failed response', async () => {
    const body = toResponse([], { status: 'failed', error: { code: 'server_error', message: 'No.' } });
    const error = await refused(modelAt(await serveJson(body)).doGenerate({ prompt }));
    expect(error).toMatchObject({ message: 'No.', statusCode: 500, isRetryable: true });
  });

  it('rejects for a stream that breaks, though text came before', async () => {
    const error = await refused(
      modelAt(await serveBeginning(6, response => response.end())).doGenerate({ prompt }),
    );
    expect(error.message).toContain('to end with "response.completed"');
  });

  it('is not limited by `timeouts.connect`, for the answer comes with the status', async () => {
    const server = await serve(response => {
      setTimeout(() => response.end(JSON.stringify(toResponse([message(['Late'])]))), 80);
    });
    const { content } = await modelAt(server, { timeouts: { connect: 20, idle: 20 } }).doGenerate({ prompt });
    expect(summarizeContent(content).texts).toEqual(['Late']);
  });

  it('ends the request when it is aborted, and leaves no listener', async () => {
    const server = await serve(response => {
      response.writeHead(200).write('{"id":');
    });
    const controller = new AbortController();
    const generating = Promise.resolve(
      modelAt(server).doGenerate({ prompt, abortSignal: controller.signal }),
    );
    generating.catch(() => {});
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    await new Promise(resolve => setTimeout(resolve, 20));
    controller.abort(new DOMException('Enough.', 'AbortError'));
    await expect(generating).rejects.toThrow('Enough.');
    expect(await server.requests[0]?.closed).toEqual({ complete: false });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('a request that the server refuses', () => {
  it.each(['doStream', 'doGenerate'] as const)(
    'rejects %s with what the server said, without the key',
    async method => {
      const server = await serveJson(
        { error: { message: 'Incorrect API key provided: sk-secret.' } },
        { status: 401 },
      );
      const error = await refused(modelAt(server)[method]({ prompt }));
      expect(error).toMatchObject({
        message: 'Incorrect API key provided: [redacted].',
        statusCode: 401,
        isRetryable: false,
      });
      expect(JSON.stringify(error)).not.toContain('sk-secret');
      expect(JSON.stringify([error.responseBody, error.data])).not.toContain('sk-secret');
    },
  );

  it('says that no key was set', async () => {
    const server = await serveJson({ error: { message: 'Unauthorized.' } }, { status: 401 });
    const error = await refused(modelAt(server, { apiKey: '' }).doStream({ prompt }));
    expect(error.message).toContain('No `apiKey` was set');
  });
});

const history: LanguageModelV2CallOptions['prompt'] = [
  ...prompt,
  {
    role: 'assistant',
    content: [
      {
        type: 'reasoning',
        text: 'Look.',
        providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gAAAA' } },
      },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'call_1', toolName: 'look', output: { type: 'text', value: 'ok' } },
    ],
  },
];

const COMPLAINT = {
  error: {
    message: 'The encrypted content gAAA...AAA could not be verified.',
    code: 'invalid_encrypted_content',
  },
};

const hasReasoning = (body: Record<string, unknown>): boolean =>
  JSON.stringify(body.input).includes('"reasoning"');

describe('a server that refuses the reasoning that is replayed to it', () => {
  it.each(['doStream', 'doGenerate'] as const)('is asked by %s once more, without it', async method => {
    const server = await serve((response, { body }) => {
      if (hasReasoning(body)) response.writeHead(400).end(JSON.stringify(COMPLAINT));
      else response.end(JSON.stringify(toResponse([reasoning({}), functionCall('look', '{}')])));
    });
    await modelAt(server)[method]({ prompt: history });
    expect(server.requests.map(({ body }) => hasReasoning(body))).toEqual([true, false]);
  });

  it('is not asked a third time', async () => {
    const server = await serveJson(COMPLAINT, { status: 400 });
    const error = await refused(modelAt(server).doStream({ prompt: history }));
    expect(error.message).toContain('could not be verified');
    expect(server.requests).toHaveLength(2);
  });

  it('is not asked again for another complaint', async () => {
    const server = await serveJson({ error: { message: 'No such model.' } }, { status: 400 });
    await refused(modelAt(server).doStream({ prompt: history }));
    expect(server.requests).toHaveLength(1);
  });
});

/** Stream and document may differ in the order of calls that took turns. */
const sortKey = (part: { type: string }): string =>
  `${part.type} ${'toolCallId' in part ? part.toolCallId : ''}`;
