import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import type { ModelTraits } from './model-traits.js';
import { MAX_TOP_LOGPROBS, type ResponsesCallOptions } from './provider-options.js';
import type { ResponsesRequestBody, TextFormat, TextSettings, WireTool } from '../wire.js';

export interface OutputSettingsContext {
  readonly callOptions: ResponsesCallOptions;
  readonly store: boolean;
  readonly tools: readonly WireTool[];
  readonly traits: ModelTraits;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

/** What the answer is to look like and to contain. */
export function toOutputSettings(
  { responseFormat }: Pick<LanguageModelV2CallOptions, 'responseFormat'>,
  context: OutputSettingsContext,
): Pick<ResponsesRequestBody, 'text' | 'include' | 'top_logprobs'> {
  const { callOptions } = context;
  return {
    text: toText(toFormat(responseFormat, callOptions), callOptions.textVerbosity),
    ...toInclude(context),
  };
}

/** An empty `text` object is refused by some servers: https://github.com/n8n-io/n8n/issues/24492 */
function toText(format: TextFormat | undefined, verbosity: string | undefined): TextSettings | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return { ...(format && { format }), ...(verbosity !== undefined && { verbosity }) };
}

function toFormat(
  responseFormat: LanguageModelV2CallOptions['responseFormat'],
  { strictJsonSchema = false }: ResponsesCallOptions,
): TextFormat | undefined {
  if (responseFormat?.type !== 'json') return undefined;
  const { schema, name = 'response', description } = responseFormat;
  if (schema === undefined || schema === null) return { type: 'json_object' };
  return {
    type: 'json_schema',
    strict: strictJsonSchema,
    name,
    ...(description !== undefined && { description }),
    schema,
  };
}

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
const LOGPROBS = 'message.output_text.logprobs';

/** What a hosted tool's items are to be sent with. */
const includesByTool: Readonly<Record<string, string>> = {
  code_interpreter: 'code_interpreter_call.outputs',
  web_search: 'web_search_call.action.sources',
  web_search_preview: 'web_search_call.action.sources',
};

function toInclude({
  callOptions,
  store,
  tools,
  traits,
  warn,
}: OutputSettingsContext): Pick<ResponsesRequestBody, 'include' | 'top_logprobs'> {
  const include = new Set(callOptions.include);
  let topLogprobs = callOptions.logprobs === true ? MAX_TOP_LOGPROBS : callOptions.logprobs || undefined;
  if (topLogprobs !== undefined) include.add(LOGPROBS);
  if (traits.reasoningEfforts !== undefined && include.delete(LOGPROBS)) {
    topLogprobs = undefined;
    const details = 'logprobs is not supported for reasoning models';
    warn({ type: 'unsupported-setting', setting: 'logprobs', details });
  }
  for (const { type } of tools) {
    const value = Object.hasOwn(includesByTool, type) ? includesByTool[type] : undefined;
    if (value !== undefined) include.add(value);
  }
  // Otherwise a server that stores nothing keeps the reasoning to itself, and the next round cannot replay it.
  // Models without reasoning refuse it: microsoft/agent-framework#7483.
  if (!store && !traits.refusesReasoning) include.add(ENCRYPTED_REASONING);
  return { include: include.size === 0 ? undefined : [...include], top_logprobs: topLogprobs };
}
