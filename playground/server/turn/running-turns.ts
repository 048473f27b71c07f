/** The turns that run now, so that they can be stopped. */
export interface RunningTurns {
  /** Opens a turn; one of the same name that still runs is stopped. The signal also follows `signal`. */
  open(name: string, options: { signal: AbortSignal }): { readonly signal: AbortSignal; close(): void };
  /** Returns whether one ran. */
  stop(name: string): boolean;
  stopAll(): void;
}

export function createRunningTurns(): RunningTurns {
  const running = new Map<string, AbortController>();
  const stop = (name: string): boolean => {
    const controller = running.get(name);
    running.delete(name);
    controller?.abort();
    return controller !== undefined;
  };
  return {
    open(name, { signal }) {
      stop(name);
      const controller = new AbortController();
      running.set(name, controller);
      return {
        signal: AbortSignal.any([controller.signal, signal]),
        close() {
          if (running.get(name) === controller) running.delete(name);
        },
      };
    },
    stop,
    stopAll() {
      for (const name of [...running.keys()]) stop(name);
    },
  };
}
