import type { CoreCall } from '../../core/call.js';
import type { Warning } from '../../core/part.js';
import { toStrictIssue } from '../../core/tool-calls/strict-schema.js';
import { declarationOfType } from '../hosted-tools/index.js';
import {
  type InputItem,
  isConfigurationUpdate,
  nearestEffort,
  type ReasoningSettings,
  type ResponsesRequestBody,
  type TextFormat,
  type WireTool,
} from '../wire.js';
import type { ModelTraits } from './model-traits.js';
import { MAX_TOP_LOGPROBS } from './options.js';
import type { ResponsesCallOptions } from './read-options.js';
import { allowsAnyObject, type SchemaLosses, toResponseSchema, toTextFormat } from './schemas.js';

export interface ModelSettingsContext {
  readonly traits: ModelTraits;
  readonly callOptions: ResponsesCallOptions;
  readonly warn: (warning: Warning) => void;
}

type ModelSettings = Pick<ResponsesRequestBody, 'reasoning' | 'service_tier' | 'prompt_cache_retention'>;

/** Returns the settings that some models reject. Omits those that this model is known to reject, with a warning. */
export function toModelSettings(
  call: Pick<CoreCall, 'reasoning'>,
  context: ModelSettingsContext,
): ModelSettings {
  return {
    reasoning: toReasoning(call, context),
    service_tier: toServiceTier(context),
    prompt_cache_retention: toCacheRetention(context),
  };
}

/** Returns the reasoning effort of the last change in the input. */
export const toFinalEffort = (input: readonly InputItem[]): string | undefined =>
  input.filter(isConfigurationUpdate).findLast(item => item.reasoning?.effort !== undefined)?.reasoning
    ?.effort;

export function toSampling(
  { temperature, topP }: Pick<CoreCall, 'temperature' | 'topP'>,
  context: Pick<ModelSettingsContext, 'traits' | 'warn'> & { effort: string | undefined },
): Pick<ResponsesRequestBody, 'temperature' | 'top_p'> {
  const samples = context.effort === 'none' && context.traits.samplesWithoutReasoning;
  if (!context.traits.isReasoningModel || samples) return { temperature, top_p: topP };
  for (const [setting, value] of Object.entries({ temperature, topP })) {
    if (value == null) continue;
    const details = `${setting} is not supported for reasoning models`;
    context.warn({ type: 'unsupported', feature: setting, details });
  }
  return {};
}

function toReasoning(
  call: Pick<CoreCall, 'reasoning'>,
  { traits, callOptions, warn }: ModelSettingsContext,
): ReasoningSettings | undefined {
  const { reasoningEffort, reasoningSummary, reasoningMode, reasoningContext, omitsSummary } = callOptions;
  const hostEffort = call.reasoning === 'provider-default' ? undefined : call.reasoning;
  const requested = {
    reasoningEffort,
    reasoningSummary,
    reasoningMode,
    reasoningContext,
    reasoning: hostEffort,
  };

  if (traits.rejectsReasoning) {
    for (const [setting, value] of Object.entries(requested)) {
      if (value === undefined) continue;
      const details = `${setting} is not supported for non-reasoning models`;
      warn({ type: 'unsupported', feature: setting, details });
    }
    return undefined;
  }
  const effort = toAcceptedEffort(reasoningEffort ?? hostEffort, {
    setting: reasoningEffort === undefined ? 'reasoning' : 'reasoningEffort',
    traits,
    warn,
  });
  // Without a request, the API returns no summary, so the host would have no reasoning to show.
  const asksForSummary = traits.isReasoningModel && effort !== undefined && effort !== 'none';
  const summary = reasoningSummary ?? (asksForSummary && omitsSummary !== true ? 'detailed' : undefined);
  const settings: ReasoningSettings = {
    ...(effort !== undefined && { effort }),
    ...(summary !== undefined && { summary }),
    ...(reasoningMode !== undefined && { mode: reasoningMode }),
    ...(reasoningContext !== undefined && { context: reasoningContext }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** Returns the effort that is nearest to the requested one. A value that is no known level is sent as it is. */
function toAcceptedEffort(
  effort: string | undefined,
  context: { setting: string } & Pick<ModelSettingsContext, 'traits' | 'warn'>,
): string | undefined {
  const accepted = context.traits.reasoningEfforts;
  if (effort === undefined || accepted === undefined || accepted.includes(effort)) return effort;
  const nearest = nearestEffort(effort, accepted);
  if (nearest === undefined) return effort;
  const message = `${context.setting} "${effort}" is not directly supported by this model. mapped to effort "${nearest}".`;
  context.warn({ type: 'other', message });
  return nearest;
}

function toServiceTier(context: ModelSettingsContext): string | undefined {
  const { serviceTier } = context.callOptions;
  // Deployments and other servers name models as they like.
  if (!context.traits.isKnown) return serviceTier;
  const isPriority = serviceTier === 'priority' || serviceTier === 'fast';
  let details: string | undefined;
  if (serviceTier === 'flex' && !context.traits.supportsFlexTier)
    details = 'flex processing is only available for o3, o4-mini, and gpt-5 models';
  if (isPriority && !context.traits.supportsPriorityTier)
    details =
      'priority processing is only available for supported models (gpt-4, gpt-5, gpt-5-mini, o3, o4-mini) ' +
      'and requires Enterprise access. gpt-5-nano is not supported';
  if (details === undefined) return serviceTier;
  context.warn({ type: 'unsupported', feature: 'serviceTier', details });
  return undefined;
}

function toCacheRetention(context: ModelSettingsContext): string | undefined {
  const { promptCacheRetention } = context.callOptions;
  if (promptCacheRetention === undefined || !context.traits.isGpt6OrLater) return promptCacheRetention;
  context.warn({
    type: 'unsupported',
    feature: 'promptCacheRetention',
    details:
      'promptCacheRetention is not supported by GPT-6 and later models; use promptCacheOptions instead',
  });
  return undefined;
}

export interface OutputSettingsContext {
  readonly callOptions: ResponsesCallOptions;
  readonly store: boolean;
  readonly tools: readonly WireTool[];
  readonly traits: ModelTraits;
  /** The reasoning effort of the response. */
  readonly effort: string | undefined;
  readonly losses: SchemaLosses;
  readonly warn: (warning: Warning) => void;
}

/** Returns the format of the response and the optional data that it contains. */
export function toOutputSettings(
  call: Pick<CoreCall, 'responseFormat'>,
  context: OutputSettingsContext,
): Pick<ResponsesRequestBody, 'text' | 'include' | 'top_logprobs'> {
  const format = toResponseFormat(call.responseFormat, context);
  const verbosity = context.callOptions.textVerbosity;
  // Some servers reject an empty object: https://github.com/n8n-io/n8n/issues/24492
  const hasText = format !== undefined || verbosity !== undefined;
  return {
    text: hasText ? { ...(format && { format }), ...(verbosity !== undefined && { verbosity }) } : undefined,
    ...toInclude(context),
  };
}

/** Returns the format of the response. Undefined for text. */
export function toResponseFormat(
  responseFormat: CoreCall['responseFormat'],
  context: Pick<OutputSettingsContext, 'callOptions' | 'losses' | 'warn'>,
): TextFormat | undefined {
  if (context.callOptions.textFormat !== undefined)
    return toTextFormat(context.callOptions.textFormat, { losses: context.losses });
  if (responseFormat?.type !== 'json') return undefined;
  const { name = 'response', description } = responseFormat;
  if (responseFormat.schema === undefined || responseFormat.schema === null) return { type: 'json_object' };
  const { schema, losses: lost } = toResponseSchema(responseFormat.schema);
  context.losses.add(lost, 'the response');
  const issue = toStrictIssue(schema);
  const mayDeviate = issue !== undefined && !allowsAnyObject(schema);
  if (context.callOptions.strictJsonSchema === undefined && mayDeviate) {
    context.warn({
      type: 'other',
      message:
        `The schema of the response does not satisfy strict mode, because ${issue}. It is sent with \`strict: false\`, ` +
        'so the response may deviate from it. Change the schema, or set `strictJsonSchema` to false.',
    });
  }
  return {
    type: 'json_schema',
    strict: context.callOptions.strictJsonSchema ?? issue === undefined,
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
    warn({ type: 'unsupported', feature: 'logprobs', details });
  }
  for (const { type } of tools) {
    const value = type === 'function' ? undefined : declarationOfType(type)?.include;
    const isOmitted = value === WEB_SEARCH_SOURCES && callOptions.includeWebSearchSources === false;
    if (value !== undefined && !isOmitted) include.add(value);
  }
  // Without it, a server that stores nothing does not return the reasoning, so the next round cannot replay it.
  // Models without reasoning reject it: microsoft/agent-framework#7483.
  if (!store && !traits.rejectsReasoning) include.add(ENCRYPTED_REASONING);
  return { include: include.size === 0 ? undefined : [...include], top_logprobs: topLogprobs };
}
