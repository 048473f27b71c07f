import { untilAborted } from '../../shared/abort.js';
import { runDetached } from '../../shared/async-context.js';

interface Run<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  callerCount: number;
}

/**
 * Shares one run of an operation among concurrent callers, in whose context it does not run. An aborted caller leaves
 * without affecting the others, and the run is aborted when the last caller leaves.
 *
 * A failure is remembered for `rememberFailureFor` milliseconds and thrown immediately, so that a broken operation
 * does not delay every caller. `isRemembered` excludes failures that may end at any time.
 */
export function createSharedTask<T>(
  operation: (signal: AbortSignal) => Promise<T>,
  {
    rememberFailureFor = 0,
    isRemembered = () => true,
  }: { rememberFailureFor?: number; isRemembered?: (error: unknown) => boolean } = {},
) {
  let run: Run<T> | undefined;
  let failure: { error: unknown; until: number } | undefined;
  const unfinished = new Set<Promise<unknown>>();

  function start(): Run<T> {
    const controller = new AbortController();
    const started: Run<T> = {
      controller,
      result: runDetached(() => operation(controller.signal)),
      callerCount: 0,
    };
    const ended = started.result
      .catch(error => {
        if (controller.signal.aborted || !isRemembered(error)) return;
        failure = { error, until: Date.now() + rememberFailureFor };
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
    /** Waits for the current run, or starts one. Rejects with the signal's reason if that comes first. */
    async join({ signal }: { signal?: AbortSignal } = {}): Promise<T> {
      signal?.throwIfAborted();
      if (failure && Date.now() < failure.until) throw failure.error;
      failure = undefined;

      run ??= start();
      const joined = run;
      joined.callerCount++;
      try {
        return await untilAborted(joined.result, signal);
      } finally {
        joined.callerCount--;
        if (joined.callerCount === 0 && signal?.aborted) abandon(joined, signal.reason);
      }
    },
    /** Aborts the current run with the reason, waits until it has ended and forgets a remembered failure. */
    async stop(reason: unknown): Promise<void> {
      if (run) abandon(run, reason);
      await Promise.all(unfinished);
      failure = undefined;
    },
    get isRunning(): boolean {
      return run !== undefined;
    },
  };
}
