/** An abort controller of one's own that also follows the caller's signal. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the caller's signal. Without it a signal that outlives many calls collects listeners. */
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
 * The promise, but no longer than until the signal aborts: then it rejects with the signal's reason at once, whatever
 * the work behind it does. Leaves no listener behind.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  // The work's own failure after an abort has nobody left to hear it.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

/** A time limit as a timer takes it: Node fires longer ones, `Infinity` too, after one millisecond. */
export function toTimerDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 1), 2 ** 31 - 1);
}
