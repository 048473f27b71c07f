import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { resultToParts } from '../parts/result-to-parts.js';

/** One answer of the inner model, streamed or not, as parts to pull. */
export interface Round {
  next(): Promise<LanguageModelV2StreamPart | undefined>;
  cancel(reason: unknown): void;
  readonly request?: { body?: unknown };
  readonly response?: { headers?: Record<string, string>; body?: unknown };
}

export type OpenRound = (options: LanguageModelV2CallOptions) => Promise<Round>;

/** Rounds by `doStream`. */
export const streamedRounds =
  (model: LanguageModelV2): OpenRound =>
  async options => {
    const { stream, request, response } = await model.doStream(options);
    const reader = stream.getReader();
    return {
      next: async () => (await reader.read()).value,
      cancel: reason => void reader.cancel(reason).catch(() => {}),
      request,
      response,
    };
  };

/** Rounds by `doGenerate`, for hosts that asked for no stream. */
export const generatedRounds =
  (model: LanguageModelV2): OpenRound =>
  async options => {
    const result = await model.doGenerate(options);
    const parts = resultToParts(result);
    return {
      next: async () => {
        const { value } = parts.next();
        return value ?? undefined;
      },
      cancel: () => {},
      request: result.request,
      response: result.response,
    };
  };
