import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2Middleware,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { transformParts } from '../parts/transform.js';
import {
  isTextReader,
  markTextReader,
  textToolSettingsOf,
  withTextToolSettings,
} from '../text-tools/model-settings.js';

/**
 * Wraps a model in middlewares, the first one outermost, as `wrapLanguageModel` of `ai@5` does. `wrapLanguageModel` of
 * `ai@6` treats a `LanguageModelV2` as a newer one and loses its finish reason and usage, so it is not used here.
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

  const wrapped: LanguageModelV2 = {
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
  return withTextToolSettings(wrapped, textToolSettingsOf(model));
}

/** Joins several middlewares into one, the first one outermost. */
export function joinMiddlewares(
  ...middlewares: readonly LanguageModelV2Middleware[]
): LanguageModelV2Middleware {
  const joined: LanguageModelV2Middleware = {
    middlewareVersion: 'v2',
    wrapGenerate: async ({ model, params }) => wrapModel(model, middlewares).doGenerate(params),
    wrapStream: async ({ model, params }) => wrapModel(model, middlewares).doStream(params),
  };
  return middlewares.some(isTextReader) ? markTextReader(joined) : joined;
}

/** A part of a streamed or generated response. */
export type ResponsePart = LanguageModelV2StreamPart | LanguageModelV2Content;

/** The changes to one call of a model. */
export interface CallRewrite {
  /**
   * The options that the model is called with.
   * @default the caller's options
   */
  readonly params?: LanguageModelV2CallOptions;
  /**
   * Replaces each part of the response, in order.
   * @default parts are left unchanged
   */
  readonly rewrite?: <Part extends ResponsePart>(part: Part) => Part;
}

/**
 * Creates a middleware that changes the request, and rewrites the response part by part. `open` runs once for each call,
 * so its variables belong to that call alone.
 */
export function rewriteMiddleware(
  open: (params: LanguageModelV2CallOptions, model: LanguageModelV2) => CallRewrite,
): LanguageModelV2Middleware {
  return {
    middlewareVersion: 'v2',
    async wrapGenerate({ params, model }) {
      const { params: changed = params, rewrite } = open(params, model);
      const result = await model.doGenerate(changed);
      return rewrite === undefined
        ? result
        : { ...result, content: result.content.map(part => rewrite(part)) };
    },
    async wrapStream({ params, model }) {
      const { params: changed = params, rewrite } = open(params, model);
      const result = await model.doStream(changed);
      if (rewrite === undefined) return result;
      return {
        ...result,
        stream: transformParts(result.stream, { part: (part, emit) => emit(rewrite(part)) }),
      };
    },
  };
}
