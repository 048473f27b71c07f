import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import { readBatches } from '../parts/batches.js';
import { resultToParts } from '../parts/collector.js';

/** One answer of the inner model, streamed or not, as parts to pull. */
export interface Round {
  /** The next parts, or undefined at the end. Rejects on abort, also where the model ignores its signal. */
  next(): Promise<readonly LanguageModelV2StreamPart[] | undefined>;
  cancel(reason: unknown): void;
  readonly request?: { body?: unknown };
  readonly response?: { headers?: Record<string, string>; body?: unknown };
}

export type OpenRound = (options: LanguageModelV2CallOptions) => Promise<Round>;

/** Rounds by `doStream`. */
export const streamedRounds =
  (model: LanguageModelV2): OpenRound =>
  async options => {
    const { abortSignal: signal } = options;
    const opening = Promise.resolve(model.doStream(options));
    const { stream, request, response } = await untilAborted(opening, signal).catch(error => {
      // An answer that comes although nobody waits for it any more.
      opening.then(late => late.stream.cancel(error)).catch(() => {});
      throw error;
    });
    const batches = readBatches(stream);
    const onAbort = (): void => batches.cancel(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    // It may have aborted in the moment in which the answer came.
    if (signal?.aborted) onAbort();
    return {
      async next() {
        const parts = await batches.next();
        signal?.throwIfAborted();
        if (parts === undefined) signal?.removeEventListener('abort', onAbort);
        return parts;
      },
      cancel: batches.cancel,
      request,
      response,
    };
  };

/** Rounds by `doGenerate`, for hosts that asked for no stream. */
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
