import type { LanguageModelV2 } from '@ai-sdk/provider';

/** What is known of a model before it is loaded. */
export type ModelFacts = Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'>;

/**
 * A language model that is there at once, and whose code is loaded when it is first called. A load that fails is tried
 * again by the next call.
 */
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
