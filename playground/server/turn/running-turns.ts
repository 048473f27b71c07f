/** Running turns, which can be stopped by name. */
export interface RunningTurns {
  /**
   * Opens a turn and stops a running one with the same name. The returned signal also follows `signal`. `close` marks the
   * turn as finished.
   */
  open(name: string, options: { signal: AbortSignal }): { readonly signal: AbortSignal; close(): void };
  /** Stops a turn. Returns false if none was running. */
  stop(name: string): boolean;
  /** Stops all turns and waits until they are closed, up to a time limit. */
  stopAll(): Promise<void>;
}

/** Milliseconds to wait for stopped turns. */
const STOP_TIMEOUT = 2000;

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
        timer = setTimeout(resolve, STOP_TIMEOUT);
      });
      await Promise.race([Promise.all(open), limit]);
      clearTimeout(timer);
    },
  };
}

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>(fulfill => {
    resolve = fulfill;
  });
  return { promise, resolve };
}
