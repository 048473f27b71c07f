import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { embed, embedMany } from 'ai';
import { embed as embed6 } from 'ai6';
import { describe, expect, it } from 'vitest';
import {
  type EmbeddingIdentity,
  embeddingIdentity,
  EmbeddingMismatchError,
  pinEmbeddingModel,
} from '../../src/embeddings/index.js';
import { createKelivoResponsesProvider, KelivoError } from '../../src/index.js';
import { toProviderV3 } from '../../src/v3.js';
import { startEmulator } from '../testing/_emulator.js';

async function start() {
  const emulator = await startEmulator();
  const server = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
  return { emulator, provider: createKelivoResponsesProvider(server), official: createOpenAI(server) };
}

const small: EmbeddingIdentity = {
  provider: 'kelivo-responses',
  modelId: 'text-embedding-3-small',
  dimensions: 1536,
};

describe('embeddingIdentity', () => {
  it('measures a vector if its length is unknown', async () => {
    const { emulator, provider } = await start();
    expect(await embeddingIdentity(provider.textEmbeddingModel('text-embedding-3-small'))).toEqual(small);
    expect(emulator.requests).toHaveLength(1);
  });

  it('sends no request if the model, the call or the options contain the length', async () => {
    const { emulator, provider } = await start();
    const model = provider.textEmbeddingModel('text-embedding-3-small', { dimensions: 256 });
    const plain = provider.textEmbeddingModel('text-embedding-3-small');
    const providerOptions = { openai: { dimensions: 256 } };
    const expected = { ...small, dimensions: 256 };
    expect(await embeddingIdentity(model)).toEqual(expected);
    expect(await embeddingIdentity(plain, { providerOptions })).toEqual(expected);
    expect(emulator.requests).toEqual([]);
  });

  it('identifies models of other providers', async () => {
    const { official } = await start();
    expect(await embeddingIdentity(official.textEmbeddingModel('text-embedding-3-large'))).toEqual({
      provider: 'openai.embedding',
      modelId: 'text-embedding-3-large',
      dimensions: 3072,
    });
  });

  it('rejects if the server returns no vector', async () => {
    const { emulator, provider } = await start();
    emulator.enqueue({ status: 200, body: { data: [{ index: 0, embedding: [] }] } });
    await expect(embeddingIdentity(provider.textEmbeddingModel('m'))).rejects.toThrow(
      'Check that the server has this model',
    );
  });
});

describe('pinEmbeddingModel', () => {
  it('embeds with the model of the index', async () => {
    const { emulator, provider } = await start();
    const model = pinEmbeddingModel(provider.textEmbeddingModel('text-embedding-3-small'), small);
    const { embeddings, usage } = await embedMany({ model, values: ['a', 'b'] });
    expect(embeddings.map(({ length }) => length)).toEqual([1536, 1536]);
    expect(usage.tokens).toBeGreaterThan(0);
    expect(emulator.requests).toHaveLength(1);
  });

  it('rejects another model, provider or length before any request', async () => {
    const { emulator, provider, official } = await start();
    const large = provider.textEmbeddingModel('text-embedding-3-large');
    const short = provider.textEmbeddingModel('text-embedding-3-small', { dimensions: 256 });
    const same = provider.textEmbeddingModel('text-embedding-3-small');
    const google = createGoogleGenerativeAI({ apiKey: 'k' }).textEmbeddingModel('text-embedding-3-small');
    const calls = [
      embed({ model: pinEmbeddingModel(large, small), value: 'a' }),
      embed({
        model: pinEmbeddingModel(official.textEmbeddingModel('text-embedding-3-small'), small),
        value: 'a',
      }),
      embed({ model: pinEmbeddingModel(google, small), value: 'a' }),
      embed({ model: pinEmbeddingModel(short, small), value: 'a' }),
      ...['openai', 'kelivo'].map(name =>
        embed({
          model: pinEmbeddingModel(same, small),
          value: 'a',
          providerOptions: { [name]: { dimensions: 512 } },
        }),
      ),
    ];
    const errors = await Promise.all(calls.map(call => call.catch((error: unknown) => error)));
    expect(errors.map(error => EmbeddingMismatchError.isInstance(error) && error.actual)).toEqual([
      { ...small, modelId: 'text-embedding-3-large', dimensions: undefined },
      { ...small, provider: 'openai.embedding', dimensions: undefined },
      { ...small, provider: 'google.generative-ai', dimensions: undefined },
      { ...small, dimensions: 256 },
      { ...small, dimensions: 512 },
      { ...small, dimensions: 512 },
    ]);
    expect(emulator.requests).toEqual([]);
  });

  it('reports the expected and the actual identity and the next step', async () => {
    const { provider } = await start();
    const model = pinEmbeddingModel(provider.textEmbeddingModel('text-embedding-3-large'), small);
    const error: unknown = await embed({ model, value: 'a' }).catch((reason: unknown) => reason);
    expect(KelivoError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      name: 'EmbeddingMismatchError',
      code: 'embedding-mismatch',
      expected: small,
      message:
        'Expected embeddings of kelivo-responses "text-embedding-3-small" with 1536 dimensions, as in the index, ' +
        'got kelivo-responses "text-embedding-3-large". Use the model of the index, or create the index again.',
    });
  });

  it('rejects vectors of another length than requested', async () => {
    const { emulator, provider } = await start();
    emulator.enqueue({ status: 200, body: { data: [{ index: 0, embedding: [0.1, 0.2] }] } });
    const model = pinEmbeddingModel(provider.textEmbeddingModel('text-embedding-3-small'), small);
    const error: unknown = await embed({ model, value: 'a' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ actual: { dimensions: 2 } });
    expect(emulator.requests).toHaveLength(1);
  });

  it('pins models of version 3 for `ai@6`', async () => {
    const { provider } = await start();
    const { embeddingModel } = toProviderV3(provider);
    const pinned = (modelId: string) =>
      pinEmbeddingModel(embeddingModel(modelId, { dimensions: 64 }), { ...small, dimensions: 64 });
    const { embedding } = await embed6({ model: pinned('text-embedding-3-small'), value: 'a' });
    expect(embedding).toHaveLength(64);
    await expect(embed6({ model: pinned('text-embedding-3-large'), value: 'a' })).rejects.toThrow(
      'as in the index',
    );
  });

  it.each([undefined, {}, { ...small, dimensions: '1536' }, { ...small, modelId: '' }])(
    'rejects the identity %j',
    async identity => {
      const { provider } = await start();
      const pin = () => pinEmbeddingModel(provider.textEmbeddingModel('m'), identity as EmbeddingIdentity);
      expect(pin).toThrow('of the embedding identity');
    },
  );
});
