import {
  createKelivoResponsesProvider as createV2Provider,
  type KelivoResponsesProvider,
} from '../provider/provider.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { type EmbeddingModelV2, NoSuchModelError } from '@ai-sdk/provider';
import type { EmbeddingModelOptions } from '../embeddings/create-embedding-model.js';
import type { LanguageModelV3, LanguageModelV3Warning } from './specification.js';
import { toLanguageModelV3 } from './language-model.js';

/**
 * Creates the provider for `ai` 6 and 7. Settings, models and tools are those of `createKelivoResponsesProvider` of the
 * main entry; `ai@5` refuses its models.
 *
 * @throws KelivoError with code `invalid-settings` for a setting that is unknown or wrong.
 */
export const createKelivoResponsesProvider = <ToolSchemas = Record<string, unknown>>(
  settings: KelivoResponsesSettings<ToolSchemas> = {},
): KelivoResponsesProviderV3 => toProviderV3(createV2Provider(settings));

/** The provider as `ai` 6 and 7 know one. What is not told here is as in `KelivoResponsesProvider`. */
export interface KelivoResponsesProviderV3 extends Pick<KelivoResponsesProvider, 'toolStubs' | 'close'> {
  readonly specificationVersion: 'v3';
  /** The same as `languageModel`. */
  (modelId: string): LanguageModelV3;
  /** A model that runs the provider's tools and shows all rounds as one answer. */
  languageModel(modelId: string): LanguageModelV3;
  /** The bare model: one request, one answer, no tool of the provider. */
  responses(modelId: string): LanguageModelV3;
  /** A text embedding model over `POST …/embeddings`. */
  embeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV3;
  /** The same as `embeddingModel`, under the name it had in `ai@5`. */
  textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV3;
  /** @throws NoSuchModelError always, as the provider has no image models. */
  imageModel(modelId: string): never;
}

/** A provider of version 2 as one of version 3. They share tools, keys and connections; closing one closes both. */
export function toProviderV3(provider: KelivoResponsesProvider): KelivoResponsesProviderV3 {
  const languageModel = (modelId: string): LanguageModelV3 =>
    toLanguageModelV3(provider.languageModel(modelId));
  const embeddingModel = (modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV3 =>
    toEmbeddingModelV3(provider.textEmbeddingModel(modelId, options));
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: 'v3' as const,
    languageModel,
    responses: (modelId: string) => toLanguageModelV3(provider.responses(modelId)),
    embeddingModel,
    textEmbeddingModel: embeddingModel,
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    toolStubs: provider.toolStubs,
    close: provider.close,
  });
}

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
