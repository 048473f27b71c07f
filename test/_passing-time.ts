import { vi } from 'vitest';

/** Lets time pass on the clock of the test until a promise has settled: what it waits for may begin when modules are loaded. */
export async function whilePassing<Result>(promise: PromiseLike<Result>): Promise<Result> {
  let isPending = true;
  const settle = () => void (isPending = false);
  promise.then(settle, settle);
  while (isPending) await vi.advanceTimersByTimeAsync(10);
  return promise;
}
