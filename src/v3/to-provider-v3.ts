import { NoSuchModelError } from '@ai-sdk/provider';
import type { EmbeddingModelOptions } from '../embeddings/create-embedding-model.js';
import type { KelivoResponsesProvider } from '../provider/provider.js';
import type { LanguageModelV3 } from './language-model-v3.js';
import { type EmbeddingModelV3, toEmbeddingModelV3 } from './to-embedding-model-v3.js';
import { toLanguageModelV3 } from './to-language-model-v3.js';

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
