import type { LanguageModelV2 } from '@ai-sdk/provider';

/** The properties of a model that are available before it is loaded. */
export type ModelFacts = Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'>;

/**
 * Creates a language model whose code is loaded by its first call. After a failed load, the next call loads again. A call
 * during which `closed` aborts does not start.
 */
export function createLazyLanguageModel(
  facts: ModelFacts,
  load: () => Promise<LanguageModelV2>,
  { closed }: { closed?: () => AbortSignal } = {},
): LanguageModelV2 {
  let loading: Promise<LanguageModelV2> | undefined;

  async function model(): Promise<LanguageModelV2> {
    const signal = closed?.();
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const loaded = await loading;
    signal?.throwIfAborted();
    return loaded;
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
