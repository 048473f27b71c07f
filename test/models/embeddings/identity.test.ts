import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { embed, embedMany } from 'ai';
import { embed as embed6 } from 'ai6';
import { createOpenAI as createOpenAI4 } from 'openai4';
import { describe, expect, it } from 'vitest';
import {
  type AnyEmbeddingModel,
  type EmbeddingIdentity,
  embeddingIdentity,
  EmbeddingMismatchError,
  pinEmbeddingModel,
} from '../../../src/models/embeddings/index.js';
import { createProviderRegistryFromConfig } from '../../../src/host/index.js';
import { createKelivoResponsesProvider, KelivoError } from '../../../src/index.js';
import { toProviderV3 } from '../../../src/v3.js';
import { startEmulator } from '../../testing/_emulator.js';

async function start() {
  const emulator = await startEmulator();
  const server = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
  return {
    emulator,
    server: emulator.baseURL,
    provider: createKelivoResponsesProvider(server),
    official: createOpenAI(server),
  };
}

const small: EmbeddingIdentity = {
  provider: 'kelivo-responses',
  modelId: 'text-embedding-3-small',
  dimensions: 1536,
};

describe('embeddingIdentity', () => {
  it('measures a vector if its length is unknown', async () => {
    const { emulator, server, provider } = await start();
    expect(await embeddingIdentity(provider.textEmbeddingModel('text-embedding-3-small'))).toEqual({
      ...small,
      server,
    });
    expect(emulator.requests).toHaveLength(1);
  });

  it('sends no request if the model, the call or the options contain the length', async () => {
    const { emulator, server, provider } = await start();
    const model = provider.textEmbeddingModel('text-embedding-3-small', { dimensions: 256 });
    const plain = provider.textEmbeddingModel('text-embedding-3-small');
    const providerOptions = { openai: { dimensions: 256 } };
    const expected = { ...small, dimensions: 256, server };
    expect(await embeddingIdentity(model)).toEqual(expected);
    expect(await embeddingIdentity(plain, { providerOptions })).toEqual(expected);
    // As in a call, the options count more than the model.
    const longer = { providerOptions: { openai: { dimensions: 512 } } };
    expect(await embeddingIdentity(model, longer)).toEqual({ ...expected, dimensions: 512 });
    expect(emulator.requests).toEqual([]);
  });

  it('identifies models of other providers', async () => {
    const { server, official } = await start();
    expect(await embeddingIdentity(official.textEmbeddingModel('text-embedding-3-large'))).toEqual({
      provider: 'openai.embedding',
      modelId: 'text-embedding-3-large',
      dimensions: 3072,
      server,
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

describe('providers with equal vectors', () => {
  const modelId = 'text-embedding-3-small';
  const importModule = (name: string): Promise<unknown> => import(name);

  /** Models of one server by the name of their provider, made directly and by a registry. */
  async function createModels(baseURL: string) {
    const settings = { baseURL, apiKey: 'sk-test' };
    const registry = createProviderRegistryFromConfig(
      {
        providers: {
          main: { type: 'kelivo-responses', settings },
          imported: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings },
        },
      },
      { importModule },
    );
    registry.register('instance', createOpenAI(settings));
    return {
      direct: createKelivoResponsesProvider(settings).textEmbeddingModel(modelId),
      renamed: createKelivoResponsesProvider({ ...settings, name: 'mine' }).textEmbeddingModel(modelId),
      official: createOpenAI(settings).textEmbeddingModel(modelId),
      'official, renamed': createOpenAI({ ...settings, name: 'other' }).textEmbeddingModel(modelId),
      'version 4': createOpenAI4(settings).embeddingModel(modelId),
      main: registry.textEmbeddingModel(`main:${modelId}`),
      imported: registry.textEmbeddingModel(`imported:${modelId}`),
      instance: registry.textEmbeddingModel(`instance:${modelId}`),
    } satisfies Record<string, AnyEmbeddingModel>;
  }

  const embedPinned = async (model: AnyEmbeddingModel, identity: EmbeddingIdentity) =>
    pinEmbeddingModel(model, identity).doEmbed({ values: ['a'] });

  it('share an index, whatever they are called and wherever they come from', async () => {
    const { server } = await start();
    const models = Object.entries(await createModels(server));
    const refused: string[] = [];
    for (const [creator, made] of models) {
      // The application stores the identity.
      const identity = JSON.parse(JSON.stringify(await embeddingIdentity(made))) as EmbeddingIdentity;
      for (const [name, model] of models)
        await embedPinned(model, identity).then(undefined, () => refused.push(`${creator} → ${name}`));
    }
    expect(refused).toEqual([]);
  });

  it('share no index with another server, model or length', async () => {
    const [{ server }, { server: elsewhere }] = [await start(), await start()];
    const { main } = await createModels(elsewhere);
    const models = await createModels(server);
    const accepted: string[] = [];
    for (const [name, model] of Object.entries(models)) {
      const identity = await embeddingIdentity(model);
      for (const other of [
        { ...identity, provider: 'elsewhere', server: elsewhere },
        { ...identity, modelId: 'text-embedding-3-large' },
        { ...identity, dimensions: 512 },
      ])
        await embedPinned(model, other).then(
          () => accepted.push(`${name} → ${JSON.stringify(other)}`),
          (error: unknown) => expect(EmbeddingMismatchError.isInstance(error)).toBe(true),
        );
    }
    expect(accepted).toEqual([]);
    await expect(embedPinned(main, await embeddingIdentity(models.renamed))).rejects.toThrow(
      'Expected embeddings of mine',
    );
  });

  it('are known by their names if the index has no address', async () => {
    const { server } = await start();
    const { official, imported, direct } = await createModels(server);
    const named = (provider: string): EmbeddingIdentity => ({ provider, modelId, dimensions: 1536 });
    for (const provider of ['openai.embedding', 'openai.textEmbedding', 'openai.embeddings', 'openai'])
      for (const model of [official, imported])
        expect((await embedPinned(model, named(provider))).embeddings).toHaveLength(1);
    for (const provider of ['azure.embeddings', 'openai.chat', 'openai.embedding.other'])
      for (const model of [official, imported, direct])
        await expect(embedPinned(model, named(provider))).rejects.toThrow('as in the index');
  });
});
