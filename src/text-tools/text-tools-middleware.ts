import type { LanguageModelV2CallOptions, LanguageModelV2Middleware } from '@ai-sdk/provider';
import { transformParts } from '../parts/transform.js';
import { markTextReader, textToolSettingsOf } from './model-settings.js';
import { turnsReasoningOff } from './reasoning-switch.js';
import type { ReasoningTags } from './reasoning.js';
import { createResponseReader, readContent, type ResponseReaderOptions } from './response-reader.js';
import type { TextToolFormat, UndeclaredPolicy } from './text-tool-format.js';

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
   * Treats the start of a response as reasoning in the first of the `reasoning` tags, for chat templates that end in the
   * opening tag, so that only the closing tag is generated. Ignored if the server returns reasoning separately, or if
   * the request turns reasoning off. If the response finishes normally without the closing tag, it is emitted again as
   * text. A function receives the model id and the request. The setting of `adaptModel` overrides it.
   * @default false
   */
  startsInReasoning?: boolean | ((modelId: string, params: LanguageModelV2CallOptions) => boolean);
  /**
   * The meaning of calls of tools that the request does not declare. A call of an undeclared tool gets the host's error,
   * which the model can react to.
   * @default the setting of `adaptModel`, otherwise 'call'
   */
  undeclared?: UndeclaredPolicy;
}

/**
 * Creates a middleware that converts tool calls and reasoning in a model's text to parts. For models whose server has no
 * parser for them, or an incorrect one.
 *
 * - Complete calls are converted. Where the request allows none, with `toolChoice: 'none'` or without tools after
 *   earlier calls, they are removed. Calls in code stay text, and calls in reasoning stay reasoning unless they end it
 *   without its closing tag.
 * - Long arguments stream as they arrive; `tool-call` follows when the call is complete. A truncated or invalid call is
 *   emitted as text if its arguments have not started to stream. Otherwise it ends in a `tool-call` whose input is no
 *   complete JSON, which hosts report as invalid.
 * - Calls that the model makes natively are left unchanged. A call that a response contains natively and as text is
 *   emitted once.
 * - The finish reason becomes `tool-calls` if calls were found, unless the response was truncated or filtered.
 */
export function textToolsMiddleware({
  formats,
  reasoning = [],
  startsInReasoning = false,
  undeclared,
}: TextToolsOptions): LanguageModelV2Middleware {
  const formatsWith = createFormatLists(formats);
  const toOptions = ({ params, model }: Pick<Call, 'params' | 'model'>): ResponseReaderOptions => ({
    formats: formatsWith(textToolSettingsOf(model).formats),
    reasoning,
    undeclared: undeclared ?? textToolSettingsOf(model).undeclared,
    startsInReasoning:
      (textToolSettingsOf(model).startsInReasoning ??
        (typeof startsInReasoning === 'function'
          ? startsInReasoning(model.modelId, params)
          : startsInReasoning)) &&
      !turnsReasoningOff(params),
    params,
  });
  return markTextReader({
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
  });
}

/** Adds formats to a list. Equal additions return the same list, because markers are cached by its identity. */
function createFormatLists(
  formats: readonly TextToolFormat[],
): (added: readonly TextToolFormat[] | undefined) => readonly TextToolFormat[] {
  const lists = new WeakMap<readonly TextToolFormat[], readonly TextToolFormat[]>();
  return added => {
    if (added === undefined) return formats;
    const known = lists.get(added);
    if (known !== undefined) return known;
    const missing = added.filter(({ name }) => !formats.some(format => format.name === name));
    const list = missing.length === 0 ? formats : [...missing, ...formats];
    lists.set(added, list);
    return list;
  };
}
