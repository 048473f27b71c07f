import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { transformParts } from '../parts/transform.js';
import type { ReasoningTags } from './reasoning.js';
import { createResponseReader, readContent, type ResponseReaderOptions } from './response-reader.js';
import type { TextToolFormat } from './text-tool-format.js';

type Call = Parameters<NonNullable<LanguageModelV2Middleware['wrapStream']>>[0];

/** Describes how a model writes calls and reasoning as text. */
export interface TextToolsOptions {
  /** The formats of the model's calls. If a text fits several formats, the first one is used. */
  formats: readonly TextToolFormat[];
  /**
   * The tags around the model's reasoning. If the server separates reasoning from the text, tags in the text are left
   * there.
   * @default none
   */
  reasoning?: readonly ReasoningTags[];
  /**
   * Treats the start of a response as reasoning, for chat templates that end in the opening tag, so that only the
   * closing tag is generated. Ignored if the server returns reasoning separately. If the response finishes normally
   * without the closing tag, it is emitted again as text. A function receives the model id.
   * @default false
   */
  startsInReasoning?: boolean | ((modelId: string) => boolean);
}

/**
 * Creates a middleware that converts tool calls and reasoning in a model's text to parts. For models whose server has no
 * parser for them, or an incorrect one.
 *
 * - Only calls of the request's function tools are converted, and none with `toolChoice: 'none'`. Calls in fenced code
 *   or in reasoning stay text.
 * - Arguments stream as they arrive; `tool-call` follows when the call is complete. A truncated or invalid tool call
 *   ends its `tool-input` without a `tool-call`, and is emitted as text.
 * - Calls that the model makes natively are left unchanged. A call that a response contains natively and as text is
 *   emitted once.
 * - The finish reason becomes `tool-calls` if calls were found, unless the response was truncated or filtered.
 */
export function textToolsMiddleware({
  formats,
  reasoning = [],
  startsInReasoning = false,
}: TextToolsOptions): LanguageModelV2Middleware {
  const toOptions = ({ params, model }: Pick<Call, 'params' | 'model'>): ResponseReaderOptions => ({
    formats,
    reasoning,
    startsInReasoning:
      typeof startsInReasoning === 'function' ? startsInReasoning(model.modelId) : startsInReasoning,
    params,
  });
  return {
    middlewareVersion: 'v2',
    async wrapGenerate({ doGenerate, ...call }) {
      const result = await doGenerate();
      return { ...result, ...readContent(result, toOptions(call)) };
    },
    async wrapStream({ doStream, ...call }) {
      // Created before the request, so that it does not delay the first delta.
      const reader = createResponseReader(toOptions(call));
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: transformParts(stream, reader) };
    },
  };
}
