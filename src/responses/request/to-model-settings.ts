import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import type { ModelTraits } from './model-traits.js';
import type { ResponsesCallOptions } from './provider-options.js';
import type { ReasoningSettings, ResponsesRequestBody } from '../wire.js';
import { toHostEffort } from './to-host-effort.js';

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

/** The settings that some models refuse. What the model is known to refuse is left out with a warning. */
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
  const asked = { reasoningEffort, reasoningSummary, reasoningMode, reasoningContext, reasoning: hostEffort };

  if (traits.refusesReasoning) {
    for (const [setting, value] of Object.entries(asked)) {
      if (value === undefined) continue;
      const details = `${setting} is not supported for non-reasoning models`;
      warn({ type: 'unsupported-setting', setting, details });
    }
    return undefined;
  }
  const effort = reasoningEffort ?? hostEffort;
  const isKnown =
    effort === undefined || traits.reasoningEfforts === undefined || traits.reasoningEfforts.includes(effort);
  if (!isKnown) {
    const setting = reasoningEffort === undefined ? 'reasoning' : 'reasoningEffort';
    const details = `${modelId} only supports the following reasoning efforts: ${traits.reasoningEfforts?.join(', ')}`;
    warn({ type: 'unsupported-setting', setting, details });
  }
  const reasoning: ReasoningSettings = {
    ...(isKnown && effort !== undefined && { effort }),
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
