import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { declarationOfType } from '../hosted-tools/index.js';
import { toTextFormat } from './conversation-updates.js';
import type { ModelTraits } from './model-traits.js';
import { MAX_TOP_LOGPROBS } from './option-schemas.js';
import type { ResponsesCallOptions } from './provider-options.js';
import { type SchemaLosses, strictIssueOf, toAcceptedSchema } from './schemas.js';
import type { ResponsesRequestBody, TextFormat, TextSettings, WireTool } from '../wire.js';

export interface OutputSettingsContext {
  readonly callOptions: ResponsesCallOptions;
  readonly store: boolean;
  readonly tools: readonly WireTool[];
  readonly traits: ModelTraits;
  /** The reasoning effort of the response. */
  readonly effort: string | undefined;
  readonly losses: SchemaLosses;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

/** Returns the format of the response and the optional data that it contains. */
export function toOutputSettings(
  { responseFormat }: Pick<LanguageModelV2CallOptions, 'responseFormat'>,
  context: OutputSettingsContext,
): Pick<ResponsesRequestBody, 'text' | 'include' | 'top_logprobs'> {
  return {
    text: toText(toFormat(responseFormat, context), context.callOptions.textVerbosity),
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
  { callOptions, losses, warn }: OutputSettingsContext,
): TextFormat | undefined {
  if (callOptions.textFormat !== undefined) return toTextFormat(callOptions.textFormat, { losses });
  if (responseFormat?.type !== 'json') return undefined;
  const { name = 'response', description } = responseFormat;
  if (responseFormat.schema === undefined || responseFormat.schema === null) return { type: 'json_object' };
  const { schema, losses: lost } = toAcceptedSchema(responseFormat.schema);
  losses.add(lost, 'the response');
  const { issue } = strictIssueOf(schema);
  if (callOptions.strictJsonSchema === undefined && issue !== undefined) {
    warn({
      type: 'other',
      message:
        `The schema of the response does not satisfy strict mode, because ${issue}. It is sent with \`strict: false\`, ` +
        'so the response may deviate from it. Change the schema, or set `strictJsonSchema` to false.',
    });
  }
  return {
    type: 'json_schema',
    strict: callOptions.strictJsonSchema ?? issue === undefined,
    name,
    ...(description !== undefined && { description }),
    schema,
  };
}

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
const WEB_SEARCH_SOURCES = 'web_search_call.action.sources';
const LOGPROBS = 'message.output_text.logprobs';

function toInclude({
  callOptions,
  store,
  tools,
  traits,
  effort,
  warn,
}: OutputSettingsContext): Pick<ResponsesRequestBody, 'include' | 'top_logprobs'> {
  const include = new Set(callOptions.include);
  let topLogprobs = callOptions.logprobs === true ? MAX_TOP_LOGPROBS : callOptions.logprobs || undefined;
  if (topLogprobs !== undefined) include.add(LOGPROBS);
  if (traits.needsNoneForLogprobs && effort !== 'none' && include.delete(LOGPROBS)) {
    topLogprobs = undefined;
    const details = 'logprobs is not supported for reasoning models';
    warn({ type: 'unsupported-setting', setting: 'logprobs', details });
  }
  for (const { type } of tools) {
    const value = declarationOfType(type)?.include;
    const isOmitted = value === WEB_SEARCH_SOURCES && callOptions.includeWebSearchSources === false;
    if (value !== undefined && !isOmitted) include.add(value);
  }
  // Without it, a server that stores nothing does not return the reasoning, so the next round cannot replay it.
  // Models without reasoning reject it: microsoft/agent-framework#7483.
  if (!store && !traits.rejectsReasoning) include.add(ENCRYPTED_REASONING);
  return { include: include.size === 0 ? undefined : [...include], top_logprobs: topLogprobs };
}
