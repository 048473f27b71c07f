import { onceAborted } from '../shared/abort.js';
import { createTimeLimit } from './time-limit.js';
import type { ReachedLimit } from './turn-limits.js';

/** The time in which a turn runs. */
export interface TurnLifetime {
  /** Aborts when the turn has to end, with the reason. */
  readonly signal: AbortSignal;
  /** Returns true if the caller ended the turn. A time limit of the loop is an error instead. */
  isAborted(): boolean;
  /** Returns `timeouts.total` if it has ended the turn. */
  reachedLimit(): ReachedLimit | undefined;
  abort(reason: unknown): void;
  /** Ends the turn with an error when one of the signals aborts. */
  endWith(signals: readonly AbortSignal[]): void;
  /** Releases timers and listeners. */
  close(): void;
}

export function createLifetime(
  abortSignal: AbortSignal | undefined,
  { milliseconds }: { milliseconds: number | undefined },
): TurnLifetime {
  const message = `The turn exceeded its limit of ${milliseconds} ms (timeouts.total).`;
  const limit = createTimeLimit(abortSignal, { milliseconds, message });
  const reason = `the limit of ${milliseconds} ms for the turn is reached (timeouts.total).`;
  const followed = new Map<AbortSignal, () => void>();
  let wasCancelled = false;
  return {
    signal: limit.signal,
    isAborted: () => wasCancelled || abortSignal?.aborted === true,
    reachedLimit: () => (limit.isOver ? { limit: 'total-timeout', reason } : undefined),
    abort(reason) {
      wasCancelled = true;
      limit.abort(reason);
    },
    endWith(signals) {
      for (const signal of signals) {
        if (followed.has(signal)) continue;
        const end = (): void => limit.abort(signal.reason);
        followed.set(signal, onceAborted(signal, end));
      }
    },
    close() {
      limit.release();
      for (const release of followed.values()) release();
    },
  };
}
