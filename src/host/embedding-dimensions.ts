import type { EmbeddingModelV2 } from '@ai-sdk/provider';
import type { KelivoEmbeddingModel } from '../embeddings/create-embedding-model.js';
import { toAskedDimensions } from '../embeddings/embedding-identity.js';

/** How providers call the length of a vector in the options of a call. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  openai: 'dimensions',
  'openai-compatible': 'dimensions',
  google: 'outputDimensionality',
  mistral: 'outputDimension',
};

/** An embedding model of any provider that asks for vectors of a length, unless the call asks for another. */
export const withDimensions = (
  model: EmbeddingModelV2<string>,
  dimensions: number,
): KelivoEmbeddingModel => ({
  specificationVersion: 'v2',
  provider: model.provider,
  modelId: model.modelId,
  dimensions,
  get maxEmbeddingsPerCall() {
    return model.maxEmbeddingsPerCall;
  },
  get supportsParallelCalls() {
    return model.supportsParallelCalls;
  },
  doEmbed(options) {
    const { providerOptions } = options;
    if (toAskedDimensions(providerOptions) !== undefined) return model.doEmbed(options);
    const asked = Object.entries(OPTION_NAMES).map(
      ([provider, option]) => [provider, { ...providerOptions?.[provider], [option]: dimensions }] as const,
    );
    return model.doEmbed({
      ...options,
      providerOptions: { ...providerOptions, ...Object.fromEntries(asked) },
    });
  },
});
