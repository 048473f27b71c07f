import type { LanguageModelV2 } from '@ai-sdk/provider';

/** The properties of a model that are available before it is loaded. */
export type ModelFacts = Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'>;

/** Creates a language model whose code is loaded by its first call. After a failed load, the next call loads again. */
export function createLazyLanguageModel(
  facts: ModelFacts,
  load: () => Promise<LanguageModelV2>,
): LanguageModelV2 {
  let loading: Promise<LanguageModelV2> | undefined;

  function model(): Promise<LanguageModelV2> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    specificationVersion: 'v2',
    get provider() {
      return facts.provider;
    },
    modelId: facts.modelId,
    get supportedUrls() {
      return facts.supportedUrls;
    },
    doGenerate: async options => (await model()).doGenerate(options),
    doStream: async options => (await model()).doStream(options),
  };
}
