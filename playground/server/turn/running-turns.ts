/** The turns that run now, so that they can be stopped. */
export interface RunningTurns {
  /**
   * Opens a turn; one of the same name that still runs is stopped. The signal also follows `signal`. `close` says that
   * nothing of the turn is left to do.
   */
  open(name: string, options: { signal: AbortSignal }): { readonly signal: AbortSignal; close(): void };
  /** Returns whether one ran. */
  stop(name: string): boolean;
  /** Stops all and waits until they are closed, for a moment at most. */
  stopAll(): Promise<void>;
}

/** Milliseconds that turns get to come to their end. */
const STOP_LIMIT = 2000;

export function createRunningTurns(): RunningTurns {
  const controllers = new Map<string, AbortController>();
  const open = new Set<Promise<void>>();

  function stop(name: string): boolean {
    const controller = controllers.get(name);
    controllers.delete(name);
    controller?.abort();
    return controller !== undefined;
  }

  return {
    open(name, { signal }) {
      stop(name);
      const controller = new AbortController();
      controllers.set(name, controller);
      const { promise, resolve } = createDeferred();
      open.add(promise);
      return {
        signal: AbortSignal.any([controller.signal, signal]),
        close() {
          if (controllers.get(name) === controller) controllers.delete(name);
          open.delete(promise);
          resolve();
        },
      };
    },
    stop,
    async stopAll() {
      for (const name of [...controllers.keys()]) stop(name);
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>(resolve => {
        timer = setTimeout(resolve, STOP_LIMIT);
      });
      await Promise.race([Promise.all(open), limit]);
      clearTimeout(timer);
    },
  };
}

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
