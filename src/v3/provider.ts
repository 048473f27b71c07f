import { type EmbeddingModelV2, type LanguageModelV2, NoSuchModelError } from '@ai-sdk/provider';
import type { EmbeddingModelOptions } from '../embeddings/model.js';
import {
  createKelivoResponsesProvider as createV2Provider,
  type KelivoResponsesProvider,
  origins,
  withOrigin,
} from '../provider/provider.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { toLanguageModelV3 } from './language-model.js';
import type { LanguageModelV3, LanguageModelV3Warning } from './specification.js';

/**
 * Creates the provider for `ai` 6 and 7. Settings, models and tools are the same as in `createKelivoResponsesProvider` of
 * the main entry. `ai@5` does not accept its models.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid setting.
 */
export const createKelivoResponsesProvider = <ToolSchemas = Record<string, unknown>>(
  settings: KelivoResponsesSettings<ToolSchemas> = {},
): KelivoResponsesProviderV3 => toProviderV3(createV2Provider(settings));

/** The members that the providers of versions 3 and 4 share. See `KelivoResponsesProvider` for those that are not described here. */
export interface LaterProvider<LanguageModel, EmbeddingModel> extends Pick<
  KelivoResponsesProvider,
  'toolStubs' | 'close'
> {
  /** Same as `languageModel`. */
  (modelId: string): LanguageModel;
  /** Returns a model that runs the provider's tools and combines all rounds into one response. */
  languageModel(modelId: string): LanguageModel;
  /** Returns the bare model: one request and one response, without the provider's tools. */
  responses(modelId: string): LanguageModel;
  /** Returns a text embedding model that calls `POST …/embeddings`. */
  embeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModel;
  /** @throws NoSuchModelError always, because the provider has no image models. */
  imageModel(modelId: string): never;
}

/** The provider for `ai` 6 and 7. */
export interface KelivoResponsesProviderV3 extends LaterProvider<LanguageModelV3, EmbeddingModelV3> {
  readonly specificationVersion: 'v3';
  /** Same as `embeddingModel`, under its name in `ai@5`. */
  textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV3;
}

/** Converts a provider to version 3. Both share tools, keys and connections, and closing one closes both. */
export function toProviderV3(provider: KelivoResponsesProvider): KelivoResponsesProviderV3 {
  const later = toLaterProvider(provider, toLanguageModelV3, toEmbeddingModelV3);
  return withOrigin(
    Object.assign(later, { specificationVersion: 'v3' as const, textEmbeddingModel: later.embeddingModel }),
    origins.get(provider),
  );
}

/** Converts the models of a provider. */
export function toLaterProvider<LanguageModel, EmbeddingModel>(
  provider: KelivoResponsesProvider,
  toLanguageModel: (model: LanguageModelV2) => LanguageModel,
  toEmbeddingModel: (model: EmbeddingModelV2<string>) => EmbeddingModel,
): LaterProvider<LanguageModel, EmbeddingModel> {
  const languageModel = (modelId: string): LanguageModel => toLanguageModel(provider.languageModel(modelId));
  return Object.assign((modelId: string) => languageModel(modelId), {
    languageModel,
    responses: (modelId: string) => toLanguageModel(provider.responses(modelId)),
    embeddingModel: (modelId: string, options?: EmbeddingModelOptions) =>
      toEmbeddingModel(provider.textEmbeddingModel(modelId, options)),
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    toolStubs: provider.toolStubs,
    compact: provider.compact,
    close: provider.close,
  });
}

type EmbedOptionsV2 = Parameters<EmbeddingModelV2<string>['doEmbed']>[0];
type EmbedOptions = Omit<EmbedOptionsV2, 'providerOptions'> & {
  providerOptions?: Record<string, Record<string, unknown>>;
};
type EmbedResult = Awaited<ReturnType<EmbeddingModelV2<string>['doEmbed']>>;

/** An embedding model for `ai` 6 and 7. */
export interface EmbeddingModelV3 extends Omit<EmbeddingModelV2<string>, 'specificationVersion' | 'doEmbed'> {
  readonly specificationVersion: 'v3';
  /** The vector length that the model requests. Undefined for the model's own length. */
  readonly dimensions?: number;
  /** The name of the provider in the registry that created the model. */
  readonly providerName?: string;
  /** Embeds texts. */
  doEmbed(options: EmbedOptions): PromiseLike<EmbedResult & { warnings: LanguageModelV3Warning[] }>;
}

/** Converts an embedding model to version 3. */
export function toEmbeddingModelV3(
  model: EmbeddingModelV2<string> & Pick<EmbeddingModelV3, 'dimensions' | 'providerName'>,
): EmbeddingModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    dimensions: model.dimensions,
    ...(model.providerName !== undefined && { providerName: model.providerName }),
    maxEmbeddingsPerCall: model.maxEmbeddingsPerCall,
    supportsParallelCalls: model.supportsParallelCalls,
    doEmbed: async options => ({ ...(await model.doEmbed(options as EmbedOptionsV2)), warnings: [] }),
  };
}
