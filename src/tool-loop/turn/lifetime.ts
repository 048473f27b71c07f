import { type AbortSource, createTimeLimit, onceAborted, type TimeLimit } from '../../core/shared/abort.js';
import type { ReachedLimit } from '../features/feature.js';

/** The time in which a turn runs. */
export class TurnLifetime {
  /** Aborts when the turn has to end, with the reason. */
  readonly signal: AbortSignal;
  readonly #caller: AbortSignal | undefined;
  readonly #milliseconds: number | undefined;
  readonly #limit: TimeLimit;
  readonly #followed = new Map<AbortSource, () => void>();
  #wasCancelled = false;

  constructor(caller: AbortSignal | undefined, milliseconds: number | undefined) {
    const message = `The turn exceeded its limit of ${milliseconds} ms (timeouts.total).`;
    this.#caller = caller;
    this.#milliseconds = milliseconds;
    this.#limit = createTimeLimit(caller, { milliseconds, message });
    this.signal = this.#limit.signal;
  }

  /** Returns true if the caller ended the turn. A time limit of the loop is an error instead. */
  isAborted(): boolean {
    return this.#wasCancelled || this.#caller?.aborted === true;
  }

  reachedLimit(): ReachedLimit | undefined {
    if (!this.#limit.isOver) return undefined;
    const reason = `the limit of ${this.#milliseconds} ms for the turn is reached (timeouts.total).`;
    return { limit: 'total-timeout', reason };
  }

  abort(reason: unknown): void {
    this.#wasCancelled = true;
    this.#limit.abort(reason);
  }

  /** Ends the turn with an error when one of the signals aborts. */
  endWith(signals: readonly AbortSource[]): void {
    for (const signal of signals) {
      if (this.#followed.has(signal)) continue;
      const end = (): void => this.#limit.abort(signal.reason);
      this.#followed.set(signal, onceAborted(signal, end));
    }
  }

  /** Releases timers and listeners. */
  close(): void {
    this.#limit.release();
    for (const release of this.#followed.values()) release();
  }
}
