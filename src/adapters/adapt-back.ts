import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Middleware,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { KelivoError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { createPartCollector, resultToParts } from '../parts/collector.js';
import { transformParts } from '../parts/transform.js';

/** The call that a part belongs to. */
export interface AdaptBackContext {
  readonly modelId: string;
  /** The options of the call, with the tools that it declares. */
  readonly params: LanguageModelV2CallOptions;
}

/**
 * Returns the replacement of a part of a response: a part, or several. An empty list drops the part. Concurrent calls
 * share the function, so it keeps no state between parts.
 */
export type AdaptBack = (
  part: LanguageModelV2StreamPart,
  context: AdaptBackContext,
) => LanguageModelV2StreamPart | readonly LanguageModelV2StreamPart[];

/** Creates a middleware that rewrites streamed and generated responses with the same function. */
export function adaptBackMiddleware(
  adaptBack: AdaptBack,
  { name }: { name: string },
): LanguageModelV2Middleware {
  return {
    middlewareVersion: 'v2',
    async wrapGenerate({ doGenerate, params, model: { modelId } }) {
      const result = await doGenerate();
      const collector = createPartCollector();
      for (const part of resultToParts(result)) rewrite(part, { params, modelId }, collector.add);
      const { response, ...rewritten } = collector.result();
      return { ...result, ...rewritten, response: { ...result.response, ...response } };
    },
    async wrapStream({ doStream, params, model: { modelId } }) {
      const { stream, ...rest } = await doStream();
      const context = { params, modelId };
      return {
        ...rest,
        stream: transformParts(stream, { part: (part, emit) => rewrite(part, context, emit) }),
      };
    },
  };

  function rewrite(
    part: LanguageModelV2StreamPart,
    context: AdaptBackContext,
    emit: (part: LanguageModelV2StreamPart) => void,
  ): void {
    const replaced = adaptBack(part, context);
    for (const one of isList(replaced) ? replaced : [replaced]) {
      if (!isPlainObject(one)) throw toResultError(name, one);
      emit(one);
    }
  }
}

const toResultError = (name: string, received: unknown): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message:
      `Expected \`adaptBack\` of the adapter "${name}" to return a part or a list of parts, got ${String(received)}. ` +
      'Return the part itself to keep it, or an empty list to drop it.',
  });

const isList = (
  value: LanguageModelV2StreamPart | readonly LanguageModelV2StreamPart[],
): value is readonly LanguageModelV2StreamPart[] => Array.isArray(value);
