import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';

/** The properties of a model that are available before it is loaded. */
export type ModelFacts = Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'>;

export interface LazyModelOptions {
  readonly closed?: () => AbortSignal;
  /** Called at once with the options of each call. Returns those for the loaded model. @default the same */
  readonly onCall?: (options: LanguageModelV2CallOptions) => LanguageModelV2CallOptions;
}

/**
 * Creates a language model whose code is loaded by its first call. After a failed load, the next call loads again. A call
 * during which `closed` aborts does not start.
 */
export function createLazyLanguageModel(
  facts: ModelFacts,
  load: () => Promise<LanguageModelV2>,
  { closed, onCall = options => options }: LazyModelOptions = {},
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
    async doGenerate(options) {
      const received = onCall(options);
      return (await model()).doGenerate(received);
    },
    async doStream(options) {
      const received = onCall(options);
      return (await model()).doStream(received);
    },
  };
}
