import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import type { ResponsesCallOptions } from './provider-options.js';
import type { ReasoningSettings, ResponsesRequestBody } from '../wire.js';

export interface ModelSettingsContext {
  readonly modelId: string;
  readonly traits: ModelTraits;
  readonly callOptions: ResponsesCallOptions;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

type ModelSettings = Pick<
  ResponsesRequestBody,
  'temperature' | 'top_p' | 'reasoning' | 'service_tier' | 'prompt_cache_retention'
>;

/** Returns the settings that some models reject. Omits those that this model is known to reject, with a warning. */
export function toModelSettings(
  options: LanguageModelV2CallOptions,
  context: ModelSettingsContext,
): ModelSettings {
  return {
    ...toSampling(options, context),
    reasoning: toReasoning(options, context),
    service_tier: toServiceTier(context),
    prompt_cache_retention: toCacheRetention(context),
  };
}

function toSampling(
  { temperature, topP }: LanguageModelV2CallOptions,
  { traits, callOptions, warn }: ModelSettingsContext,
): Pick<ModelSettings, 'temperature' | 'top_p'> {
  const samples = callOptions.reasoningEffort === 'none' && traits.samplesWithoutReasoning;
  if (!traits.isReasoningModel || samples) return { temperature, top_p: topP };
  for (const [setting, value] of Object.entries({ temperature, topP })) {
    if (value == null) continue;
    const details = `${setting} is not supported for reasoning models`;
    warn({ type: 'unsupported-setting', setting, details });
  }
  return {};
}

function toReasoning(
  options: LanguageModelV2CallOptions,
  { modelId, traits, callOptions, warn }: ModelSettingsContext,
): ReasoningSettings | undefined {
  const { reasoningEffort, reasoningSummary, reasoningMode, reasoningContext } = callOptions;
  const hostEffort = toHostEffort(options);
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
      warn({ type: 'unsupported-setting', setting, details });
    }
    return undefined;
  }
  const effort = reasoningEffort ?? hostEffort;
  const isSupported =
    effort === undefined || traits.reasoningEfforts === undefined || traits.reasoningEfforts.includes(effort);
  if (!isSupported) {
    const setting = reasoningEffort === undefined ? 'reasoning' : 'reasoningEffort';
    const details = `${modelId} only supports the following reasoning efforts: ${traits.reasoningEfforts?.join(', ')}`;
    warn({ type: 'unsupported-setting', setting, details });
  }
  const reasoning: ReasoningSettings = {
    ...(isSupported && effort !== undefined && { effort }),
    ...(reasoningSummary !== undefined && { summary: reasoningSummary }),
    ...(reasoningMode !== undefined && { mode: reasoningMode }),
    ...(reasoningContext !== undefined && { context: reasoningContext }),
  };
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

function toServiceTier({ traits, callOptions, warn }: ModelSettingsContext): string | undefined {
  const { serviceTier } = callOptions;
  const details =
    serviceTier === 'flex' && !traits.supportsFlexTier
      ? 'flex processing is only available for o3, o4-mini, and gpt-5 models'
      : serviceTier === 'priority' && !traits.supportsPriorityTier
        ? 'priority processing is only available for supported models (gpt-4, gpt-5, gpt-5-mini, o3, o4-mini) ' +
          'and requires Enterprise access. gpt-5-nano is not supported'
        : undefined;
  if (details === undefined) return serviceTier;
  warn({ type: 'unsupported-setting', setting: 'serviceTier', details });
  return undefined;
}

function toCacheRetention({ traits, callOptions, warn }: ModelSettingsContext): string | undefined {
  const { promptCacheRetention } = callOptions;
  if (promptCacheRetention === undefined || !traits.isGpt6OrLater) return promptCacheRetention;
  warn({
    type: 'unsupported-setting',
    setting: 'promptCacheRetention',
    details:
      'promptCacheRetention is not supported by GPT-6 and later models; use promptCacheOptions instead',
  });
  return undefined;
}

/** Returns the reasoning effort that a caller of `ai` 7 requested. */
export function toHostEffort(options: LanguageModelV2CallOptions): string | undefined {
  const reasoning = 'reasoning' in options ? options.reasoning : undefined;
  return typeof reasoning === 'string' && reasoning !== 'provider-default' ? reasoning : undefined;
}

/** Traits that follow from the name of a model. Models with unknown names get no special treatment. */
export interface ModelTraits {
  /** Accepts `developer` messages but no sampling settings. */
  readonly isReasoningModel: boolean;
  /** Rejects reasoning settings. */
  readonly rejectsReasoning: boolean;
  /** Accepts sampling settings if the effort is `none`. */
  readonly samplesWithoutReasoning: boolean;
  /** Accepted efforts, if the list is fixed. Such models do not return log probabilities either. */
  readonly reasoningEfforts: readonly string[] | undefined;
  /** Accepts `configuration_update` items, asynchronous tools, and cache options instead of a retention. */
  readonly isGpt6OrLater: boolean;
  readonly supportsFlexTier: boolean;
  readonly supportsPriorityTier: boolean;
}

const gpt6Efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const effortsByModel: Readonly<Record<string, readonly string[]>> = {
  'gpt-6-sol': ['none', ...gpt6Efforts],
  'gpt-6-luna': ['none', ...gpt6Efforts],
};

/** Reasoning models whose names follow no pattern. */
const namedReasoningModels = new Set(['codex-mini-latest', 'computer-use-preview']);

export function toModelTraits(modelId: string): ModelTraits {
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

  return {
    isReasoningModel: oSeries !== null || reasoningGpt || namedReasoningModels.has(name),
    rejectsReasoning: (major >= 3 && !reasoningGpt) || /^(?:gpt-4o|chatgpt-)/.test(name),
    samplesWithoutReasoning: major === 5 && minor >= 1,
    reasoningEfforts: effortsByModel[name] ?? (isGpt6OrLater ? gpt6Efforts : undefined),
    isGpt6OrLater,
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
  return segment.replace(/:.*$/, '').replace(/^(?:[a-z][a-z_-]*\.)+/, '');
}
