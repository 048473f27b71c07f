import type { EmbeddingModelV2 } from '@ai-sdk/provider';
import type { LanguageModelV3Warning } from './language-model-v3.js';

type EmbedOptionsV2 = Parameters<EmbeddingModelV2<string>['doEmbed']>[0];
type EmbedOptions = Omit<EmbedOptionsV2, 'providerOptions'> & {
  providerOptions?: Record<string, Record<string, unknown>>;
};
type EmbedResult = Awaited<ReturnType<EmbeddingModelV2<string>['doEmbed']>>;

/** An embedding model as `ai` 6 and 7 know it. */
export interface EmbeddingModelV3 extends Omit<EmbeddingModelV2<string>, 'specificationVersion' | 'doEmbed'> {
  readonly specificationVersion: 'v3';
  /** The length that the model asks its vectors to have, where it has one. */
  readonly dimensions?: number;
  /** Makes the vectors of some texts. */
  doEmbed(options: EmbedOptions): PromiseLike<EmbedResult & { warnings: LanguageModelV3Warning[] }>;
}

/** An embedding model of version 2 as one of version 3. */
export function toEmbeddingModelV3(
  model: EmbeddingModelV2<string> & { readonly dimensions?: number },
): EmbeddingModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    dimensions: model.dimensions,
    maxEmbeddingsPerCall: model.maxEmbeddingsPerCall,
    supportsParallelCalls: model.supportsParallelCalls,
    doEmbed: async options => ({ ...(await model.doEmbed(options as EmbedOptionsV2)), warnings: [] }),
  };
}
