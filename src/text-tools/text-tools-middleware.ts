import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { transformParts } from '../parts/transform.js';
import type { ReasoningTags } from './reasoning-tags.js';
import { createTextReader, type TextReaderOptions } from './response-reader.js';
import { readContent } from './read-content.js';
import type { TextToolFormat } from './text-tool-format.js';

type Call = Parameters<NonNullable<LanguageModelV2Middleware['wrapStream']>>[0];

/** How the model writes calls and reasoning. */
export interface TextToolsOptions {
  /** The forms in which the model writes calls. Where two begin alike, the first that fits is taken. */
  formats: readonly TextToolFormat[];
  /**
   * The tags that the model puts around its reasoning. Where the server sets reasoning apart in an answer, tags in its
   * text stay there.
   * @default none
   */
  reasoning?: readonly ReasoningTags[];
  /**
   * Whether an answer begins within reasoning, because the chat template has opened it in the prompt, so that only the
   * closing tag comes. Nothing in the text tells so before that tag. A server that sets reasoning apart is noticed; an
   * answer that ends without the tag, and was not cut, is given once more as text.
   * May be told by the model's id.
   * @default false
   */
  startsInReasoning?: boolean | ((modelId: string) => boolean);
}

/**
 * A middleware that finds the tool calls, and the reasoning, that a model writes as text, and gives them as the parts
 * they should have been. For models whose server has no parser for them, or a wrong one.
 *
 * - Calls are of the function tools of the request only, and none where it has no tools or `toolChoice` is `none`. A
 *   call in fenced code or in reasoning is text.
 * - Arguments stream as they come. A call is given once it is whole. One that was cut, or turns out to be none, ends
 *   its `tool-input` without a `tool-call`, and all of its text follows as text.
 * - Calls that the model made natively are left as they are.
 * - The finish reason becomes `tool-calls` where calls were found, unless the answer was cut or filtered.
 */
export function textToolsMiddleware({
  formats,
  reasoning = [],
  startsInReasoning = false,
}: TextToolsOptions): LanguageModelV2Middleware {
  const toOptions = ({ params, model }: Pick<Call, 'params' | 'model'>): TextReaderOptions => ({
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
      // Made before the answer is there, whose first word should not wait for it.
      const reader = createTextReader(toOptions(call));
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: transformParts(stream, reader) };
    },
  };
}
