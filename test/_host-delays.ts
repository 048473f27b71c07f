import { afterAll, beforeAll } from 'vitest';

/** Delays of `ai` before it repeats a request, in milliseconds. */
const DELAYS: readonly unknown[] = [2000, 4000];

/** Lets hosts repeat requests at once in the tests of a file. */
export function skipHostDelays(): void {
  const { setTimeout: wait } = globalThis;
  beforeAll(() => {
    globalThis.setTimeout = Object.assign(
      (callback: () => void, delay?: number, ...rest: unknown[]) =>
        wait(callback, DELAYS.includes(delay) ? 0 : delay, ...(rest as [])),
      wait,
    ) as typeof setTimeout;
  });
  afterAll(() => {
    globalThis.setTimeout = wait;
  });
}
