import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Middleware,
} from '@ai-sdk/provider';

/**
 * Wraps a model in middlewares, the first one outermost, as `wrapLanguageModel` of `ai@5` does. That of `ai@6` takes a
 * `LanguageModelV2` for a newer one and loses its finish reason and usage, so the host's is not relied on.
 */
export const wrapModel = (
  model: LanguageModelV2,
  middlewares: readonly LanguageModelV2Middleware[],
): LanguageModelV2 => middlewares.reduceRight(wrapOnce, model);

function wrapOnce(model: LanguageModelV2, middleware: LanguageModelV2Middleware): LanguageModelV2 {
  async function prepare(type: 'generate' | 'stream', options: LanguageModelV2CallOptions) {
    const params = (await middleware.transformParams?.({ type, params: options, model })) ?? options;
    return {
      doGenerate: async () => model.doGenerate(params),
      doStream: async () => model.doStream(params),
      params,
      model,
    };
  }

  return {
    specificationVersion: model.specificationVersion,
    provider: middleware.overrideProvider?.({ model }) ?? model.provider,
    modelId: middleware.overrideModelId?.({ model }) ?? model.modelId,
    get supportedUrls() {
      return middleware.overrideSupportedUrls?.({ model }) ?? model.supportedUrls;
    },
    async doGenerate(options) {
      const call = await prepare('generate', options);
      return middleware.wrapGenerate?.(call) ?? call.doGenerate();
    },
    async doStream(options) {
      const call = await prepare('stream', options);
      return middleware.wrapStream?.(call) ?? call.doStream();
    },
  };
}
