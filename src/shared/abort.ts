/** An abort controller that also follows the caller's signal. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Stops following the caller's signal. Otherwise a long-lived signal would collect listeners. */
  release(): void;
}

export function linkSignal(outer: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: reason => controller.abort(reason),
    release: () => outer?.removeEventListener('abort', follow),
  };
}

/**
 * Returns the promise, or rejects with the signal's reason as soon as the signal aborts. The work itself is not stopped.
 * Removes its listener.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  // After an abort, the rejection of the work would be unhandled.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

/** Clamps a time limit to the range of a timer. Node fires longer ones, and `Infinity`, after one millisecond. */
export function toTimerDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 1), 2 ** 31 - 1);
}
