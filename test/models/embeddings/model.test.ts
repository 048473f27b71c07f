import { getEventListeners } from 'node:events';
import { APICallError, InvalidResponseDataError, TooManyEmbeddingValuesForCallError } from '@ai-sdk/provider';
import { embed, embedMany } from 'ai';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { serve, serveJson, type TestServer } from '../../_server.js';
import { startEmulator } from '../../testing/_emulator.js';

const modelAt = ({ url }: TestServer) =>
  createKelivoResponsesProvider({ baseURL: url, apiKey: 'sk-secret' }).textEmbeddingModel('embed-1');

const entry = (index: number) => ({ object: 'embedding', index, embedding: [index, 0.5] });

describe('createEmbeddingModel', () => {
  it('posts the values and returns their vectors and the usage', async () => {
    const server = await serveJson({
      data: [entry(0), entry(1)],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    const { embeddings, usage, response } = await modelAt(server).doEmbed({
      values: ['a', 'b'],
      providerOptions: { openai: { dimensions: 2, user: 'u' } },
      headers: { 'x-team': 't' },
    });
    expect(embeddings).toEqual([
      [0, 0.5],
      [1, 0.5],
    ]);
    expect(usage).toEqual({ tokens: 7 });
    expect(response?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(server.requests).toMatchObject([
      {
        path: '/v1/embeddings',
        headers: { authorization: 'Bearer sk-secret', 'x-team': 't' },
        body: { model: 'embed-1', input: ['a', 'b'], encoding_format: 'float', dimensions: 2, user: 'u' },
      },
    ]);
  });

  it('omits fields that are not set, and usage that the server did not report', async () => {
    const server = await serveJson({ data: [entry(0)] });
    const { usage } = await modelAt(server).doEmbed({ values: ['a'] });
    expect(usage).toBeUndefined();
    expect(Object.keys(server.requests[0]?.body ?? {})).toEqual(['model', 'input', 'encoding_format']);
  });

  it('sorts vectors by their index', async () => {
    const server = await serveJson({ data: [entry(2), entry(0), entry(1)] });
    const { embeddings } = await modelAt(server).doEmbed({ values: ['a', 'b', 'c'] });
    expect(embeddings.map(([first]) => first)).toEqual([0, 1, 2]);
  });

  it('keeps the order of vectors without an index', async () => {
    const server = await serveJson({ data: [{ embedding: [1] }, { embedding: [2] }] });
    expect((await modelAt(server).doEmbed({ values: ['a', 'b'] })).embeddings).toEqual([[1], [2]]);
  });

  it.each([
    ['too few', [entry(0)], 1],
    ['too many', [entry(0), entry(1), entry(2)], 3],
    ['a hole', [entry(0), entry(2)], 2],
    ['one index twice', [entry(0), entry(0)], 1],
    ['no vector in an entry', [entry(0), { index: 1 }], 1],
    ['no list', undefined, 0],
  ])('rejects a response with %s', async (_, data, count) => {
    const server = await serveJson({ data });
    const error: unknown = await Promise.resolve(modelAt(server).doEmbed({ values: ['a', 'b'] })).catch(
      reason => reason,
    );
    expect(InvalidResponseDataError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message: `Expected 2 embeddings in \`data\`, got ${count}.` });
  });

  it('rejects more values than a request may contain, without a request', async () => {
    const server = await serveJson({});
    const model = modelAt(server);
    const values = Array.from({ length: Number(model.maxEmbeddingsPerCall) + 1 }, () => 'a');
    const error: unknown = await Promise.resolve(model.doEmbed({ values })).catch(reason => reason);
    expect(TooManyEmbeddingValuesForCallError.isInstance(error)).toBe(true);
    expect(server.requests).toEqual([]);
  });

  it('rejects with the message of the server, without the key', async () => {
    const server = await serveJson({ error: { message: 'Bad key sk-secret.' } }, { status: 401 });
    const error: unknown = await Promise.resolve(modelAt(server).doEmbed({ values: ['a'] })).catch(
      reason => reason,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message: 'Bad key [redacted].', statusCode: 401 });
  });

  it('aborts the request with the call', async () => {
    const server = await serve(() => {});
    const controller = new AbortController();
    const embedding = Promise.resolve(
      modelAt(server).doEmbed({ values: ['a'], abortSignal: controller.signal }),
    );
    embedding.catch(() => {});
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    controller.abort(new DOMException('Enough.', 'AbortError'));
    await expect(embedding).rejects.toThrow('Enough.');
    expect(await server.requests[0]?.closed).toEqual({ complete: false });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('batches, keys, retries and timeouts', () => {
  const provider = (emulator: { baseURL: string }, settings: KelivoResponsesSettings = {}) =>
    createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey: 'sk-test', ...settings });
  const values = ['one', 'two', 'three', 'four', 'five'];

  it('splits many values into requests of the accepted size, in order', async () => {
    const emulator = await startEmulator();
    const model = provider(emulator).textEmbeddingModel('text-embedding-3-small', {
      dimensions: 8,
      maxEmbeddingsPerCall: 2,
    });
    const { embeddings, usage } = await embedMany({ model, values });
    const single = await embed({ model, value: 'five' });
    expect(embeddings.map(({ length }) => length)).toEqual([8, 8, 8, 8, 8]);
    expect(embeddings[4]).toEqual(single.embedding);
    expect(emulator.requests.map(({ body }) => body.input?.length)).toEqual([2, 2, 1, 1]);
    expect(usage.tokens).toBeGreaterThanOrEqual(5);
  });

  it('prefers the length of the call to that of the model, and `kelivo` to `openai`', async () => {
    const emulator = await startEmulator();
    const model = provider(emulator).textEmbeddingModel('text-embedding-3-small', { dimensions: 8 });
    const lengthOf = async (providerOptions?: Record<string, Record<string, number>>) =>
      (await embed({ model, value: 'a', providerOptions })).embedding.length;
    expect([
      await lengthOf(),
      await lengthOf({ openai: { dimensions: 16 } }),
      await lengthOf({ openai: { dimensions: 16 }, kelivo: { dimensions: 32 } }),
    ]).toEqual([8, 16, 32]);
  });

  it('sends a rate-limited request with the next key', async () => {
    const emulator = await startEmulator({ apiKey: ['sk-a', 'sk-b'] });
    emulator.enqueue({ status: 429, retryAfter: 20 });
    const model = provider(emulator, { apiKey: 'sk-a, sk-b' }).textEmbeddingModel('text-embedding-3-small');
    expect((await embed({ model, value: 'a', maxRetries: 0 })).embedding).toHaveLength(1536);
    expect(emulator.requests).toHaveLength(2);
  });

  it('lets the host retry a temporary failure', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ status: 503, headers: { 'retry-after-ms': '1' } });
    const model = provider(emulator).textEmbeddingModel('text-embedding-3-small');
    expect((await embed({ model, value: 'a' })).embedding).toHaveLength(1536);
    expect(emulator.requests).toHaveLength(2);
  });

  it('ends a request that exceeds `timeouts.total` with an error', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ fault: 'headers-never' });
    const model = provider(emulator, { timeouts: { total: 30 } }).textEmbeddingModel(
      'text-embedding-3-small',
    );
    await expect(embed({ model, value: 'a', maxRetries: 0 })).rejects.toThrow('timeouts.total');
  });

  it.each([{ dimensions: 0 }, { dimensions: 1.5 }, { maxEmbeddingsPerCall: 0 }, { size: 3 }])(
    'rejects the options %j',
    options => {
      const create = () =>
        provider({ baseURL: 'http://localhost' }).textEmbeddingModel('m', options as object);
      expect(create).toThrow(/of the embedding model options|in the embedding model options/);
    },
  );
});
