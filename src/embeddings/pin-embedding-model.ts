import * as z from 'zod/v4';
import { parseSettings } from '../shared/settings.js';
import { type AnyEmbeddingModel, type EmbeddingIdentity, toAskedDimensions } from './embedding-identity.js';
import { type ActualEmbedding, EmbeddingMismatchError } from './embedding-mismatch-error.js';

const identitySchema = z.object({
  provider: z.string().min(1),
  modelId: z.string().min(1),
  dimensions: z.number().int().min(1),
});

/**
 * Keeps a model to the index it serves. Vectors of two models, or of two lengths, have nothing to do with each other: a
 * query embedded with another one than the index was made with finds nonsense, and no store notices.
 *
 * A call that would use another provider, model or length is refused before any request. The length of what comes back
 * is checked, too, as a server may change what a name stands for. Works with the models of any AI SDK provider.
 *
 * @param identity What `embeddingIdentity` gave when the index was made.
 *
 * @example
 * ```ts
 * const model = pinEmbeddingModel(provider.textEmbeddingModel(settings.embeddingModel), index.identity);
 * const { embedding } = await embed({ model, value: question });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an identity that is none. Calls of the model reject with
 *   `EmbeddingMismatchError`.
 */
export function pinEmbeddingModel<Model extends AnyEmbeddingModel>(
  model: Model,
  identity: EmbeddingIdentity,
): Model {
  const expected = parseSettings<EmbeddingIdentity>(identitySchema, identity, 'the embedding identity');
  const { specificationVersion, provider, modelId, maxEmbeddingsPerCall, supportsParallelCalls } = model;

  const pinned: AnyEmbeddingModel = {
    ...{ specificationVersion, provider, modelId, maxEmbeddingsPerCall, supportsParallelCalls },
    dimensions: model.dimensions,
    async doEmbed(options) {
      const asked = toAskedDimensions(options.providerOptions) ?? model.dimensions;
      check({ provider, modelId, dimensions: asked });
      const result = await model.doEmbed(options);
      for (const { length } of result.embeddings) check({ provider, modelId, dimensions: length });
      return result;
    },
  };
  return pinned as Model;

  function check(actual: ActualEmbedding): void {
    const isSame =
      actual.provider === expected.provider &&
      actual.modelId === expected.modelId &&
      (actual.dimensions ?? expected.dimensions) === expected.dimensions;
    if (!isSame) throw new EmbeddingMismatchError({ expected, actual });
  }
}
