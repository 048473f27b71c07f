import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';

/** `ai` 7 hands on how much its caller wants the model to reason. */
export function toHostEffort(options: LanguageModelV2CallOptions): string | undefined {
  const { reasoning } = options as { reasoning?: unknown };
  return typeof reasoning === 'string' && reasoning !== 'provider-default' ? reasoning : undefined;
}
