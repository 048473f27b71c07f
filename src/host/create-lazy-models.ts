import type { EmbeddingModelV2, LanguageModelV2 } from '@ai-sdk/provider';

interface LazyModelOptions<Model> {
  /** The name of the provider until and after the model is there. */
  readonly provider: string;
  readonly modelId: string;
  readonly load: () => Promise<Model>;
}

/** A language model that is there at once and loaded when it is first called. */
export function createLazyLanguageModel({
  provider,
  modelId,
  load,
}: LazyModelOptions<LanguageModelV2>): LanguageModelV2 {
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    get supportedUrls() {
      const urls = load().then(model => model.supportedUrls);
      // Whoever asks and does not wait is told by the call.
      urls.catch(() => {});
      return urls;
    },
    doGenerate: async options => (await load()).doGenerate(options),
    doStream: async options => (await load()).doStream(options),
  };
}

/** An embedding model that is there at once and loaded when it is first called. */
export function createLazyEmbeddingModel({
  provider,
  modelId,
  load,
}: LazyModelOptions<EmbeddingModelV2<string>>): EmbeddingModelV2<string> {
  const ask = <Value>(
    read: (model: EmbeddingModelV2<string>) => PromiseLike<Value> | Value,
  ): Promise<Value> => {
    const value = load().then(read);
    value.catch(() => {});
    return value;
  };
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    get maxEmbeddingsPerCall() {
      return ask(model => model.maxEmbeddingsPerCall);
    },
    get supportsParallelCalls() {
      return ask(model => model.supportsParallelCalls);
    },
    doEmbed: async options => (await load()).doEmbed(options),
  };
}
