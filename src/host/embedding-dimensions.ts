import type { EmbeddingModelV2 } from '@ai-sdk/provider';
import type { KelivoEmbeddingModel } from '../embeddings/model.js';
import { toAskedDimensions } from '../embeddings/identity.js';

/** Name of the vector length in the options of each provider. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  openai: 'dimensions',
  'openai-compatible': 'dimensions',
  google: 'outputDimensionality',
  mistral: 'outputDimension',
};

/** Adds the name of the provider in its registry, for `embeddingIdentity`. */
export const withProviderName = (
  model: EmbeddingModelV2<string> & { readonly dimensions?: number },
  providerName: string,
): KelivoEmbeddingModel & { readonly providerName: string } =>
  withFields(model, { dimensions: model.dimensions, providerName });

/** Requests vectors of the given length from any provider's model, unless the call requests another length. */
export const withDimensions = (model: EmbeddingModelV2<string>, dimensions: number): KelivoEmbeddingModel =>
  withFields(model, { dimensions }, options => {
    const { providerOptions } = options;
    if (toAskedDimensions(providerOptions) !== undefined) return options;
    const requested = Object.entries(OPTION_NAMES).map(
      ([provider, option]) => [provider, { ...providerOptions?.[provider], [option]: dimensions }] as const,
    );
    return { ...options, providerOptions: { ...providerOptions, ...Object.fromEntries(requested) } };
  });

type EmbedOptions = Parameters<EmbeddingModelV2<string>['doEmbed']>[0];

/** Adds fields to a model. Those that a package has to be loaded for are read when needed. */
const withFields = <Fields extends object>(
  model: EmbeddingModelV2<string>,
  fields: Fields,
  toOptions = (options: EmbedOptions): EmbedOptions => options,
): EmbeddingModelV2<string> & Fields => ({
  ...fields,
  specificationVersion: 'v2',
  provider: model.provider,
  modelId: model.modelId,
  get maxEmbeddingsPerCall() {
    return model.maxEmbeddingsPerCall;
  },
  get supportsParallelCalls() {
    return model.supportsParallelCalls;
  },
  doEmbed: options => model.doEmbed(toOptions(options)),
});
