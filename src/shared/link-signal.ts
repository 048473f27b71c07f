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
