import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { readBatches } from '../parts/batches.js';
import { resultToParts } from '../parts/collector.js';
import { onceAborted, untilAborted } from '../shared/abort.js';
import type { TurnLifetime } from './turn-lifetime.js';

/** One response of the inner model, streamed or not, as parts to read. */
export interface Round {
  /** Returns the next parts, or undefined at the end. Rejects on abort, even if the model ignores its signal. */
  next(): Promise<readonly LanguageModelV2StreamPart[] | undefined>;
  cancel(reason: unknown): void;
  readonly request?: { body?: unknown };
  readonly response?: { headers?: Record<string, string>; body?: unknown };
  /** True if the round was read from a record. @default false */
  readonly isReplayed?: boolean;
}

/** Content and end of a round. */
export interface RoundSummary {
  /** The response of the model, with the ids that the host received. */
  readonly content: readonly LanguageModelV2Content[];
  /** Ids of the calls that the host has to run. */
  readonly hostCalls: readonly string[];
  readonly finish: Extract<LanguageModelV2StreamPart, { type: 'finish' }>;
  /** True if the round was read from a record. */
  readonly isReplayed: boolean;
  /** Writes the parts that are held back until the outcomes of the round are known. */
  readonly release: () => void;
  readonly responseId: string | undefined;
}

export type OpenRound = (options: LanguageModelV2CallOptions) => Promise<Round>;

/** Opens rounds with `doStream`. */
export const streamedRounds =
  (model: LanguageModelV2): OpenRound =>
  async options => {
    const { abortSignal: signal } = options;
    const opening = Promise.resolve(model.doStream(options));
    const { stream, request, response } = await untilAborted(opening, signal).catch(error => {
      // Cancel a stream that opens after the abort.
      opening.then(late => late.stream.cancel(error)).catch(() => {});
      throw error;
    });
    const batches = readBatches(stream);
    // The signal may have aborted at the moment the stream opened.
    const release = signal && onceAborted(signal, () => batches.cancel(signal.reason));
    return {
      async next() {
        const parts = await batches.next();
        signal?.throwIfAborted();
        if (parts === undefined) release?.();
        return parts;
      },
      cancel: batches.cancel,
      request,
      response,
    };
  };

/** Opens rounds with `doGenerate`, for hosts that do not stream. */
export const generatedRounds =
  (model: LanguageModelV2): OpenRound =>
  async options => {
    const result = await untilAborted(Promise.resolve(model.doGenerate(options)), options.abortSignal);
    let parts: LanguageModelV2StreamPart[] | undefined = [...resultToParts(result)];
    return {
      async next() {
        const all = parts;
        parts = undefined;
        return all;
      },
      cancel: () => {},
      request: result.request,
      response: result.response,
    };
  };

/** Reads the parts of a round. A stream that fails ends with an `error` part; an abort by the caller rejects. */
export function createBatchReader(
  round: Round,
  { signal, isAborted }: Pick<TurnLifetime, 'signal' | 'isAborted'>,
): Round['next'] {
  let hasFailed = false;
  return async () => {
    if (hasFailed) return undefined;
    try {
      return await round.next();
    } catch (error) {
      if (isAborted()) throw error;
      hasFailed = true;
      return [{ type: 'error', error: signal.aborted ? signal.reason : error }];
    }
  };
}
