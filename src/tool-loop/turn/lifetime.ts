import { type AbortSource, createTimeLimit, onceAborted } from '../../core/shared/abort.js';
import type { ReachedLimit } from '../features/feature.js';

export type TurnLifetime = ReturnType<typeof createLifetime>;

/** The time in which a turn runs. */
export function createLifetime(abortSignal: AbortSignal | undefined, milliseconds: number | undefined) {
  const message = `The turn exceeded its limit of ${milliseconds} ms (timeouts.total).`;
  const limit = createTimeLimit(abortSignal, { milliseconds, message });
  const reason = `the limit of ${milliseconds} ms for the turn is reached (timeouts.total).`;
  const followed = new Map<AbortSource, () => void>();
  let wasCancelled = false;
  return {
    /** Aborts when the turn has to end, with the reason. */
    signal: limit.signal,
    /** Returns true if the caller ended the turn. A time limit of the loop is an error instead. */
    isAborted: (): boolean => wasCancelled || abortSignal?.aborted === true,
    reachedLimit: (): ReachedLimit | undefined =>
      limit.isOver ? { limit: 'total-timeout', reason } : undefined,
    abort(reason: unknown): void {
      wasCancelled = true;
      limit.abort(reason);
    },
    /** Ends the turn with an error when one of the signals aborts. */
    endWith(signals: readonly AbortSource[]): void {
      for (const signal of signals) {
        if (followed.has(signal)) continue;
        const end = (): void => limit.abort(signal.reason);
        followed.set(signal, onceAborted(signal, end));
      }
    },
    /** Releases timers and listeners. */
    close(): void {
      limit.release();
      for (const release of followed.values()) release();
    },
  };
}
