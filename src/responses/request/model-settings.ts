import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import type { ModelTraits } from './model-traits.js';
import type { ResponsesCallOptions } from './provider-options.js';
import {
  type InputItem,
  isConfigurationUpdate,
  nearestEffort,
  type ReasoningSettings,
  type ResponsesRequestBody,
} from '../wire.js';

export interface ModelSettingsContext {
  readonly traits: ModelTraits;
  readonly callOptions: ResponsesCallOptions;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

type ModelSettings = Pick<ResponsesRequestBody, 'reasoning' | 'service_tier' | 'prompt_cache_retention'>;

/** Returns the settings that some models reject. Omits those that this model is known to reject, with a warning. */
export function toModelSettings(
  options: LanguageModelV2CallOptions,
  context: ModelSettingsContext,
): ModelSettings {
  return {
    reasoning: toReasoning(options, context),
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

/** Returns the sampling settings, unless the model rejects them. */
export function toSampling(
  { temperature, topP }: LanguageModelV2CallOptions,
  { traits, effort, warn }: Pick<ModelSettingsContext, 'traits' | 'warn'> & { effort: string | undefined },
): Pick<ResponsesRequestBody, 'temperature' | 'top_p'> {
  const samples = effort === 'none' && traits.samplesWithoutReasoning;
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
  { traits, callOptions, warn }: ModelSettingsContext,
): ReasoningSettings | undefined {
  const { reasoningEffort, reasoningSummary, reasoningMode, reasoningContext, omitsSummary } = callOptions;
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
  const effort = toAcceptedEffort(reasoningEffort ?? hostEffort, {
    setting: reasoningEffort === undefined ? 'reasoning' : 'reasoningEffort',
    traits,
    warn,
  });
  // Without a request, the API returns no summary, so the host would have no reasoning to show.
  const asksForSummary = traits.isReasoningModel && effort !== undefined && effort !== 'none';
  const summary = reasoningSummary ?? (asksForSummary && omitsSummary !== true ? 'detailed' : undefined);
  const reasoning: ReasoningSettings = {
    ...(effort !== undefined && { effort }),
    ...(summary !== undefined && { summary }),
    ...(reasoningMode !== undefined && { mode: reasoningMode }),
    ...(reasoningContext !== undefined && { context: reasoningContext }),
  };
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
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
  const details =
    serviceTier === 'flex' && !traits.supportsFlexTier
      ? 'flex processing is only available for o3, o4-mini, and gpt-5 models'
      : isPriority && !traits.supportsPriorityTier
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
