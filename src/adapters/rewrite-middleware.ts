import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2Middleware,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { transformParts } from '../parts/transform.js';

/** A part of an answer, whether it is streamed or not. */
export type AnswerPart = LanguageModelV2StreamPart | LanguageModelV2Content;

/** What is done about one call of a model. */
export interface CallRewrite {
  /** What the model is asked. @default what the caller asks */
  readonly params?: LanguageModelV2CallOptions;
  /** What takes the place of each part of the answer, in their order. @default the part itself */
  readonly rewrite?: <Part extends AnswerPart>(part: Part) => Part;
}

/**
 * A middleware that asks something else than the caller does, and rewrites the answer part by part. `open` is called
 * for each call, so that what it keeps is kept for that call alone.
 */
export function rewriteMiddleware(
  open: (params: LanguageModelV2CallOptions, model: LanguageModelV2) => CallRewrite,
): LanguageModelV2Middleware {
  return {
    middlewareVersion: 'v2',
    async wrapGenerate({ params, model }) {
      const { params: asked = params, rewrite } = open(params, model);
      const result = await model.doGenerate(asked);
      return rewrite === undefined
        ? result
        : { ...result, content: result.content.map(part => rewrite(part)) };
    },
    async wrapStream({ params, model }) {
      const { params: asked = params, rewrite } = open(params, model);
      const result = await model.doStream(asked);
      if (rewrite === undefined) return result;
      return {
        ...result,
        stream: transformParts(result.stream, { part: (part, emit) => emit(rewrite(part)) }),
      };
    },
  };
}
