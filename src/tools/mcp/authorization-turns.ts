/** Ends of the last attempts by provider or store. One store is never written by two attempts at the same time. */
const locks = new WeakMap<object, Promise<unknown>>();

/** Runs operations of one lock one after the other. */
export function createTurns(lock: object): <T>(operation: () => Promise<T>) => Promise<T> {
  return operation => {
    const turn = (locks.get(lock) ?? Promise.resolve()).then(operation);
    locks.set(
      lock,
      turn.catch(() => {}),
    );
    return turn;
  };
}

/** Shares a running operation among callers with the same key. */
export function createSharing(): (key: string, operation: () => Promise<boolean>) => Promise<boolean> {
  const running = new Map<string, Promise<boolean>>();
  return (key, operation) => {
    const shared = running.get(key) ?? operation().finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  };
}
