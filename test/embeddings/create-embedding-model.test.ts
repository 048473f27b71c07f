import { getEventListeners } from 'node:events';
import { APICallError, InvalidResponseDataError, TooManyEmbeddingValuesForCallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { serve, serveJson, type TestServer } from '../_server.js';

const modelAt = ({ url }: TestServer) =>
  createKelivoResponsesProvider({ baseURL: url, apiKey: 'sk-secret' }).textEmbeddingModel('embed-1');

const entry = (index: number) => ({ object: 'embedding', index, embedding: [index, 0.5] });

describe('createEmbeddingModel', () => {
  it('posts the values and gives their vectors and the usage', async () => {
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

  it('sends no field that was not set, and tells no usage that did not come', async () => {
    const server = await serveJson({ data: [entry(0)] });
    const { usage } = await modelAt(server).doEmbed({ values: ['a'] });
    expect(usage).toBeUndefined();
    expect(Object.keys(server.requests[0]?.body ?? {})).toEqual(['model', 'input', 'encoding_format']);
  });

  it('puts vectors in the order of their index', async () => {
    const server = await serveJson({ data: [entry(2), entry(0), entry(1)] });
    const { embeddings } = await modelAt(server).doEmbed({ values: ['a', 'b', 'c'] });
    expect(embeddings.map(([first]) => first)).toEqual([0, 1, 2]);
  });

  it('takes vectors as they come where they have no index', async () => {
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
  ])('refuses an answer with %s', async (_, data, count) => {
    const server = await serveJson({ data });
    const error: unknown = await Promise.resolve(modelAt(server).doEmbed({ values: ['a', 'b'] })).catch(
      reason => reason,
    );
    expect(InvalidResponseDataError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message: `Expected 2 embeddings in \`data\`, got ${count}.` });
  });

  it('refuses more values than a request can take, without asking the server', async () => {
    const server = await serveJson({});
    const model = modelAt(server);
    const values = Array.from({ length: Number(model.maxEmbeddingsPerCall) + 1 }, () => 'a');
    const error: unknown = await Promise.resolve(model.doEmbed({ values })).catch(reason => reason);
    expect(TooManyEmbeddingValuesForCallError.isInstance(error)).toBe(true);
    expect(server.requests).toEqual([]);
  });

  it('rejects with what the server said, without the key', async () => {
    const server = await serveJson({ error: { message: 'Bad key sk-secret.' } }, { status: 401 });
    const error: unknown = await Promise.resolve(modelAt(server).doEmbed({ values: ['a'] })).catch(
      reason => reason,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message: 'Bad key [redacted].', statusCode: 401 });
  });

  it('ends the request when it is aborted', async () => {
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
