import { wait } from './abort.js';

/**
 * Runs an operation again while its errors allow it. Rejects with the last error, or with the reason of the signal.
 *
 * @param pauseAfter Returns the pause before the next attempt, in milliseconds. Undefined if the error is final. It receives
 * the number of the attempt that failed, from 0.
 * @param signal Ends the pauses, and the attempts.
 */
export async function repeat<Result>(
  operation: (attempt: number) => Promise<Result>,
  pauseAfter: (error: unknown, attempt: number) => number | undefined | Promise<number | undefined>,
  signal?: AbortSignal,
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
