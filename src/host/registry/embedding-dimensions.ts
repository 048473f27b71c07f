import type { CoreEmbeddingModel, EmbeddingCall } from '../../core/embedding.js';
import { toAskedDimensions } from '../../embeddings/identity.js';

/** Name of the vector length in the options of each provider. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  openai: 'dimensions',
  'openai-compatible': 'dimensions',
  google: 'outputDimensionality',
  mistral: 'outputDimension',
};

/** Adds the name of the provider in its registry, for `embeddingIdentity`. */
export const withProviderName = (model: CoreEmbeddingModel, providerName: string): CoreEmbeddingModel =>
  withFields(model, { dimensions: model.dimensions, providerName });

/** Requests vectors of the given length from any provider's model, unless the call requests another length. */
export const withDimensions = (model: CoreEmbeddingModel, dimensions: number): CoreEmbeddingModel =>
  withFields(model, { dimensions }, call => {
    const { providerOptions, own } = call;
    const asked = toAskedDimensions({ ...providerOptions, kelivo: own }) ?? call.dimensions;
    if (asked !== undefined) return call;
    const requested = Object.entries(OPTION_NAMES).map(
      ([provider, option]) => [provider, { ...providerOptions?.[provider], [option]: dimensions }] as const,
    );
    return { ...call, providerOptions: { ...providerOptions, ...Object.fromEntries(requested) } };
  });

/** Adds fields to a model. Those that a package has to be loaded for are read when needed. */
const withFields = (
  model: CoreEmbeddingModel,
  fields: Pick<CoreEmbeddingModel, 'dimensions' | 'providerName'>,
  toCall = (call: EmbeddingCall): EmbeddingCall => call,
): CoreEmbeddingModel => ({
  ...fields,
  provider: model.provider,
  modelId: model.modelId,
  get maxEmbeddingsPerCall() {
    return model.maxEmbeddingsPerCall;
  },
  get supportsParallelCalls() {
    return model.supportsParallelCalls;
  },
  embed: call => model.embed(toCall(call)),
});
