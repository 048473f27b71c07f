import type { LanguageModelV2Content, LanguageModelV2StreamPart } from '@ai-sdk/provider';

/** What a round amounted to. */
export interface RoundSummary {
  /** The model's answer, with the ids under which it was shown. */
  readonly content: readonly LanguageModelV2Content[];
  /** The calls that belong to the host, by id. */
  readonly hostCalls: readonly string[];
  readonly finish: Extract<LanguageModelV2StreamPart, { type: 'finish' }>;
  readonly responseId: string | undefined;
}
