import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';

/** Whether the server keeps the history, so that results may come without their calls. */
export function isContinuation({ providerOptions }: LanguageModelV2CallOptions): boolean {
  const { previousResponseId, conversation } = { ...providerOptions?.openai, ...providerOptions?.kelivo };
  return typeof previousResponseId === 'string' || typeof conversation === 'string';
}
