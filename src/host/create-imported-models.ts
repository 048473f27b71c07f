import type { EmbeddingModelV2, LanguageModelV2 } from '@ai-sdk/provider';
import { createLazyLanguageModel } from '../provider/lazy-language-model.js';

interface ImportedModelOptions<Model> {
  /** The name of the provider until and after the model is there. */
  readonly provider: string;
  readonly modelId: string;
  readonly load: () => Promise<Model>;
}

/** A language model of another package, which is loaded when the model is first asked or called. */
export const createImportedLanguageModel = ({
  provider,
  modelId,
  load,
}: ImportedModelOptions<LanguageModelV2>): LanguageModelV2 =>
  createLazyLanguageModel(
    {
      provider,
      modelId,
      get supportedUrls() {
        return toQuiet(load().then(model => model.supportedUrls));
      },
    },
    load,
  );

/** An embedding model of another package, likewise. */
export function createImportedEmbeddingModel({
  provider,
  modelId,
  load,
}: ImportedModelOptions<EmbeddingModelV2<string>>): EmbeddingModelV2<string> {
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    get maxEmbeddingsPerCall() {
      return toQuiet(load().then(model => model.maxEmbeddingsPerCall));
    },
    get supportsParallelCalls() {
      return toQuiet(load().then(model => model.supportsParallelCalls));
    },
    doEmbed: async options => (await load()).doEmbed(options),
  };
}

/** Whoever asks for a property and does not wait is told of a failure by the call. */
function toQuiet<Value>(value: Promise<Value>): Promise<Value> {
  value.catch(() => {});
  return value;
}
