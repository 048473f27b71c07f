import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { declarationOfType } from '../hosted-tools/index.js';
import type { ModelTraits } from './model-settings.js';
import { MAX_TOP_LOGPROBS, type ResponsesCallOptions } from './provider-options.js';
import type { ResponsesRequestBody, TextFormat, TextSettings, WireTool } from '../wire.js';

export interface OutputSettingsContext {
  readonly callOptions: ResponsesCallOptions;
  readonly store: boolean;
  readonly tools: readonly WireTool[];
  readonly traits: ModelTraits;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

/** Returns the format of the response and the optional data that it contains. */
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

/** Omits an empty `text` object, which some servers reject: https://github.com/n8n-io/n8n/issues/24492 */
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
    const value = declarationOfType(type)?.include;
    if (value !== undefined) include.add(value);
  }
  // Without it, a server that stores nothing does not return the reasoning, so the next round cannot replay it.
  // Models without reasoning reject it: microsoft/agent-framework#7483.
  if (!store && !traits.rejectsReasoning) include.add(ENCRYPTED_REASONING);
  return { include: include.size === 0 ? undefined : [...include], top_logprobs: topLogprobs };
}
