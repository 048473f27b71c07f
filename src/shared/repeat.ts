import { wait } from './abort.js';

export interface RepeatOptions {
  /**
   * Returns the pause before the next attempt, in milliseconds. Undefined if the error is final.
   *
   * @param attempt The number of the attempt that failed, from 0.
   */
  readonly pauseAfter: (error: unknown, attempt: number) => number | undefined | Promise<number | undefined>;
  /** Ends the pauses, and the attempts. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs an operation again while its errors allow it. Rejects with the last error, or with the reason of the signal. */
export async function repeat<Result>(
  operation: (attempt: number) => Promise<Result>,
  { pauseAfter, signal }: RepeatOptions,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await operation(attempt);
    } catch (error) {
      const pause = signal?.aborted === true ? undefined : await pauseAfter(error, attempt);
      if (pause === undefined) throw error;
      if (pause > 0) await wait(pause, signal);
    }
  }
}
