import { untilAborted } from '../../shared/abort.js';
/** An operation whose one run is shared by all who ask for it at the same time. */
export interface SharedTask<T> {
  /** Waits for the run under way, or starts one. Rejects with the signal's reason when that comes first. */
  join(options?: { signal?: AbortSignal }): Promise<T>;
  /** Aborts the run under way with the reason, waits until it has ended and forgets a remembered failure. */
  stop(reason: unknown): Promise<void>;
  readonly isRunning: boolean;
}

interface Run<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  waiting: number;
}

/**
 * Shares one run among callers with signals of their own: a caller who aborts leaves alone, and the run is
 * aborted when the last one has left.
 *
 * A failure is remembered for `rememberFailureFor` milliseconds and thrown at once, so that something
 * broken does not delay every caller anew.
 */
export function createSharedTask<T>(
  operation: (signal: AbortSignal) => Promise<T>,
  { rememberFailureFor = 0 }: { rememberFailureFor?: number } = {},
): SharedTask<T> {
  let run: Run<T> | undefined;
  let failure: { error: unknown; until: number } | undefined;
  const unfinished = new Set<Promise<unknown>>();

  function start(): Run<T> {
    const controller = new AbortController();
    const started: Run<T> = { controller, result: operation(controller.signal), waiting: 0 };
    const ended = started.result
      .catch(error => {
        if (!controller.signal.aborted) failure = { error, until: Date.now() + rememberFailureFor };
      })
      .finally(() => {
        unfinished.delete(ended);
        if (run === started) run = undefined;
      });
    unfinished.add(ended);
    return started;
  }

  function abandon(abandoned: Run<T>, reason: unknown): void {
    if (run === abandoned) run = undefined;
    abandoned.controller.abort(reason);
  }

  return {
    async join({ signal } = {}) {
      signal?.throwIfAborted();
      if (failure && Date.now() < failure.until) throw failure.error;
      failure = undefined;

      run ??= start();
      const joined = run;
      joined.waiting++;
      try {
        return await untilAborted(joined.result, signal);
      } finally {
        joined.waiting--;
        if (joined.waiting === 0 && signal?.aborted) abandon(joined, signal.reason);
      }
    },
    async stop(reason) {
      if (run) abandon(run, reason);
      await Promise.all(unfinished);
      failure = undefined;
    },
    get isRunning() {
      return run !== undefined;
    },
  };
}
