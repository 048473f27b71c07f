import type { LanguageModelV2Usage } from '@ai-sdk/provider';

/** Adds two usages. Counts that are missing on both sides stay undefined. */
export function addUsage(a: LanguageModelV2Usage, b: LanguageModelV2Usage): LanguageModelV2Usage {
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    outputTokens: add(a.outputTokens, b.outputTokens),
    totalTokens: add(a.totalTokens, b.totalTokens),
    reasoningTokens: add(a.reasoningTokens, b.reasoningTokens),
    cachedInputTokens: add(a.cachedInputTokens, b.cachedInputTokens),
  };
}

const add = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b;
