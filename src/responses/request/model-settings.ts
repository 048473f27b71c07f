import type { CoreCall } from '../../core/call.js';
import type { Warning } from '../../core/part.js';
import { declarationOfType } from '../hosted-tools/index.js';
import {
  type InputItem,
  isConfigurationUpdate,
  nearestEffort,
  type ReasoningSettings,
  type ResponsesRequestBody,
  type TextFormat,
  type TextSettings,
  type WireTool,
} from '../wire.js';
import { MAX_TOP_LOGPROBS } from './options.js';
import type { ResponsesCallOptions } from './read-options.js';
import {
  allowsAnyObject,
  type SchemaLosses,
  strictIssueOf,
  toResponseSchema,
  toTextFormat,
} from './schemas.js';

/** Traits that follow from the name of a model. Models with unknown names get no special treatment. */
export interface ModelTraits {
  /** The name follows a pattern of OpenAI. Settings that such a model lacks are omitted; others receive all settings. */
  readonly isKnown: boolean;
  /** Accepts `developer` messages but no sampling settings. */
  readonly isReasoningModel: boolean;
  readonly rejectsReasoning: boolean;
  /** Accepts sampling settings if the effort is `none`. */
  readonly samplesWithoutReasoning: boolean;
  /** Accepted efforts. Undefined if they are not known. */
  readonly reasoningEfforts: readonly string[] | undefined;
  /** Returns log probabilities only if the effort is `none`. */
  readonly needsNoneForLogprobs: boolean;
  /** Accepts `configuration_update` items, asynchronous tools, and cache options instead of a retention. */
  readonly isGpt6OrLater: boolean;
  /** Accepts deferred tools and `tool_search`: https://platform.openai.com/docs/guides/tools-tool-search. */
  readonly searchesTools: boolean;
  readonly supportsFlexTier: boolean;
  readonly supportsPriorityTier: boolean;
}

/** Suffixes of variants that differ only in size, with a date or without. */
const PLAIN = String.raw`(?:-(?:mini|nano|sol|luna|terra))?(?:-\d{4}-\d\d-\d\d)?`;

/**
 * The efforts that models accept, by name. The first matching row applies. Efforts of the pro, codex and chat variants and
 * of the o series are not published.
 */
const REASONING_EFFORTS: readonly (readonly [name: RegExp, efforts: readonly string[]])[] = [
  [
    /^gpt-(?:6-sol|6-luna|6\.1-terra)(?:-\d{4}-\d\d-\d\d)?$/,
    ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  ],
  [/^gpt-(?:[6-9]|[1-9]\d+)\b/, ['low', 'medium', 'high', 'xhigh', 'max']],
  [new RegExp(`^gpt-5${PLAIN}$`), ['minimal', 'low', 'medium', 'high']],
  [new RegExp(String.raw`^gpt-5\.1${PLAIN}$`), ['none', 'low', 'medium', 'high']],
  [new RegExp(String.raw`^gpt-5\.[2-5]${PLAIN}$`), ['none', 'low', 'medium', 'high', 'xhigh']],
  [new RegExp(String.raw`^gpt-5\.\d+${PLAIN}$`), ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
];

/** Reasoning models whose names follow no pattern. */
const namedReasoningModels = new Set(['codex-mini-latest', 'computer-use-preview']);

/** @param forceReasoning overrides the classification as a reasoning model. */
export function toModelTraits(modelId: string, forceReasoning?: boolean): ModelTraits {
  const name = toBareModelName(modelId);
  const oSeries = /^o(\d+)(?:-|$)/.exec(name);
  const gpt = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(name);
  const oVersion = Number(oSeries?.[1] ?? 0);
  const major = Number(gpt?.[1] ?? 0);
  const minor = Number(gpt?.[2] ?? 0);
  const variant = gpt?.[3] ?? '';
  const isChat = variant.startsWith('chat') && gpt?.[2] === undefined;
  const reasoningGpt = major >= 5 && !isChat;
  const isGpt6OrLater = major >= 6;
  const isReasoningName = oSeries !== null || reasoningGpt || namedReasoningModels.has(name);
  const isOldName = (major >= 3 && !reasoningGpt) || /^(?:gpt-4o|chatgpt-)/.test(name);
  const reasoningEfforts = REASONING_EFFORTS.find(([pattern]) => pattern.test(name))?.[1];

  return {
    isKnown: isReasoningName || isOldName,
    isReasoningModel: forceReasoning ?? isReasoningName,
    rejectsReasoning: forceReasoning === undefined ? isOldName : !forceReasoning,
    samplesWithoutReasoning: isGpt6OrLater
      ? reasoningEfforts?.includes('none') === true
      : major === 5 && minor >= 1,
    reasoningEfforts,
    needsNoneForLogprobs: isGpt6OrLater,
    isGpt6OrLater,
    searchesTools: isGpt6OrLater || (major === 5 && minor >= 4),
    supportsFlexTier: oVersion >= 3 || reasoningGpt,
    supportsPriorityTier:
      oVersion >= 3 || name.startsWith('gpt-4') || (reasoningGpt && !variant.startsWith('nano')),
  };
}

/**
 * Returns the name without the vendor and variant that routers and clouds add, as in `openai/gpt-5`,
 * `us.openai.gpt-5:free` or `ft:gpt-4.1:my-org::id`.
 */
function toBareModelName(modelId: string): string {
  const name = modelId.toLowerCase().replace(/^ft:/, '');
  const segment = name.slice(name.lastIndexOf('/') + 1);
  const bare = segment.replace(/:.*$/s, '').replace(/^(?:[a-z][a-z_-]*\.)+/, '');
  // Azure names GPT-3.5 without the dot.
  return bare.replace(/^gpt-35\b/, 'gpt-3.5');
}

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

/** Returns the reasoning effort of the response: that of the last change in the input, else that of the request. */
export const toFinalEffort = (
  input: readonly InputItem[],
  reasoning: ReasoningSettings | undefined,
): string | undefined =>
  input.filter(isConfigurationUpdate).findLast(item => item.reasoning?.effort !== undefined)?.reasoning
    ?.effort ?? reasoning?.effort;

export function toSampling(
  { temperature, topP }: Pick<CoreCall, 'temperature' | 'topP'>,
  { traits, effort, warn }: Pick<ModelSettingsContext, 'traits' | 'warn'> & { effort: string | undefined },
): Pick<ResponsesRequestBody, 'temperature' | 'top_p'> {
  const samples = effort === 'none' && traits.samplesWithoutReasoning;
  if (!traits.isReasoningModel || samples) return { temperature, top_p: topP };
  for (const [setting, value] of Object.entries({ temperature, topP })) {
    if (value == null) continue;
    const details = `${setting} is not supported for reasoning models`;
    warn({ type: 'unsupported', feature: setting, details });
  }
  return {};
}

function toReasoning(
  { reasoning }: Pick<CoreCall, 'reasoning'>,
  { traits, callOptions, warn }: ModelSettingsContext,
): ReasoningSettings | undefined {
  const { reasoningEffort, reasoningSummary, reasoningMode, reasoningContext, omitsSummary } = callOptions;
  const hostEffort = reasoning === 'provider-default' ? undefined : reasoning;
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
  { setting, traits, warn }: { setting: string } & Pick<ModelSettingsContext, 'traits' | 'warn'>,
): string | undefined {
  const accepted = traits.reasoningEfforts;
  if (effort === undefined || accepted === undefined || accepted.includes(effort)) return effort;
  const nearest = nearestEffort(effort, accepted);
  if (nearest === undefined) return effort;
  const message = `${setting} "${effort}" is not directly supported by this model. mapped to effort "${nearest}".`;
  warn({ type: 'other', message });
  return nearest;
}

function toServiceTier({ traits, callOptions, warn }: ModelSettingsContext): string | undefined {
  const { serviceTier } = callOptions;
  // Deployments and other servers name models as they like.
  if (!traits.isKnown) return serviceTier;
  const isPriority = serviceTier === 'priority' || serviceTier === 'fast';
  let details: string | undefined;
  if (serviceTier === 'flex' && !traits.supportsFlexTier)
    details = 'flex processing is only available for o3, o4-mini, and gpt-5 models';
  if (isPriority && !traits.supportsPriorityTier)
    details =
      'priority processing is only available for supported models (gpt-4, gpt-5, gpt-5-mini, o3, o4-mini) ' +
      'and requires Enterprise access. gpt-5-nano is not supported';
  if (details === undefined) return serviceTier;
  warn({ type: 'unsupported', feature: 'serviceTier', details });
  return undefined;
}

function toCacheRetention({ traits, callOptions, warn }: ModelSettingsContext): string | undefined {
  const { promptCacheRetention } = callOptions;
  if (promptCacheRetention === undefined || !traits.isGpt6OrLater) return promptCacheRetention;
  warn({
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
  { responseFormat }: Pick<CoreCall, 'responseFormat'>,
  context: OutputSettingsContext,
): Pick<ResponsesRequestBody, 'text' | 'include' | 'top_logprobs'> {
  return {
    text: toText(toResponseFormat(responseFormat, context), context.callOptions.textVerbosity),
    ...toInclude(context),
  };
}

/** Omits an empty `text` object, which some servers reject: https://github.com/n8n-io/n8n/issues/24492 */
function toText(format: TextFormat | undefined, verbosity: string | undefined): TextSettings | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return { ...(format && { format }), ...(verbosity !== undefined && { verbosity }) };
}

/** Returns the format of the response. Undefined for text. */
export function toResponseFormat(
  responseFormat: CoreCall['responseFormat'],
  { callOptions, losses, warn }: Pick<OutputSettingsContext, 'callOptions' | 'losses' | 'warn'>,
): TextFormat | undefined {
  if (callOptions.textFormat !== undefined) return toTextFormat(callOptions.textFormat, { losses });
  if (responseFormat?.type !== 'json') return undefined;
  const { name = 'response', description } = responseFormat;
  if (responseFormat.schema === undefined || responseFormat.schema === null) return { type: 'json_object' };
  const { schema, losses: lost } = toResponseSchema(responseFormat.schema);
  losses.add(lost, 'the response');
  const { issue } = strictIssueOf(schema);
  const mayDeviate = issue !== undefined && !allowsAnyObject(schema);
  if (callOptions.strictJsonSchema === undefined && mayDeviate) {
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
