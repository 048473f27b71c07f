import type { LanguageModelV2FinishReason, LanguageModelV2Usage } from '@ai-sdk/provider';
import { idOf, numberOf, recordOf, type WireRecord } from './wire-values.js';

/** The finish reason of a response that came to its end. */
export function toFinishReason(
  response: WireRecord,
  { incomplete, hasCalls }: { incomplete: boolean; hasCalls: boolean },
): LanguageModelV2FinishReason {
  const reason = idOf(recordOf(response.incomplete_details)?.reason);
  switch (reason) {
    case 'max_output_tokens':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      if (hasCalls) return 'tool-calls';
      return incomplete || reason !== undefined ? 'other' : 'stop';
  }
}

export const NO_USAGE: LanguageModelV2Usage = {
  inputTokens: undefined,
  outputTokens: undefined,
  totalTokens: undefined,
};

/** Token counts; what a server does not tell stays undefined. */
export function toUsage(value: unknown): LanguageModelV2Usage {
  const usage = recordOf(value);
  if (usage === undefined) return NO_USAGE;
  const inputTokens = numberOf(usage.input_tokens);
  const outputTokens = numberOf(usage.output_tokens);
  const sum =
    inputTokens !== undefined && outputTokens !== undefined ? inputTokens + outputTokens : undefined;
  return {
    inputTokens,
    outputTokens,
    totalTokens: numberOf(usage.total_tokens) ?? sum,
    reasoningTokens: numberOf(recordOf(usage.output_tokens_details)?.reasoning_tokens),
    cachedInputTokens: numberOf(recordOf(usage.input_tokens_details)?.cached_tokens),
  };
}
