import { getEventListeners } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SharedTask } from '../../../src/tools/mcp/session/current-session.js';

it('runs once for concurrent callers', async () => {
  const operation = vi.fn(async () => 'done');
  const task = new SharedTask(operation);
  expect(await Promise.all([task.join(), task.join()])).toEqual(['done', 'done']);
  expect(operation).toHaveBeenCalledTimes(1);
});

it('continues when one of two callers leaves, and is aborted when the last one leaves', async () => {
  let seen: AbortSignal | undefined;
  const task = new SharedTask(signal => {
    seen = signal;
    return new Promise<never>(() => {});
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const joined = [task.join(first), task.join(second)];

  first.abort(new Error('first'));
  await expect(joined[0]).rejects.toThrow('first');
  expect(seen?.aborted).toBe(false);
  second.abort(new Error('second'));
  await expect(joined[1]).rejects.toThrow('second');
  expect(seen?.aborted).toBe(true);
  expect(getEventListeners(first.signal, 'abort')).toHaveLength(0);
});

/** Lets an attempt fail after a time by the clock that measures durations. */
const failAfter = (milliseconds: () => number) => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  return vi.fn(async () => {
    now += milliseconds();
    throw new Error('broken');
  });
};

it.each([
  [1100, 1100],
  [5000, 5000],
  [90_000, 30_000],
])('remembers a failure after %i ms for %i ms', async (duration, remembered) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const operation = failAfter(() => duration);
  onTestFinished(() => void vi.restoreAllMocks());
  const task = new SharedTask(operation, { rememberFailureFor: 30_000 });
  await expect(task.join()).rejects.toThrow('broken');
  // The last second is waited for.
  vi.setSystemTime(Date.now() + remembered - 1001);
  await expect(task.join()).rejects.toThrow('broken');
  expect(operation).toHaveBeenCalledTimes(1);
  vi.setSystemTime(Date.now() + 1001);
  await expect(task.join()).rejects.toThrow('broken');
  expect(operation).toHaveBeenCalledTimes(2);
});

it('repeats an attempt that failed at once, after delays that grow to a second', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const operation = failAfter(() => 10);
  onTestFinished(() => void vi.restoreAllMocks());
  const task = new SharedTask(operation, { rememberFailureFor: 30_000 });
  for (const [attempt, delay] of [0, 0, 250, 500, 1000, 1000].entries()) {
    const joined = expect(task.join()).rejects.toThrow('broken');
    if (delay > 0) {
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(operation).toHaveBeenCalledTimes(attempt);
    }
    await vi.advanceTimersByTimeAsync(Math.min(delay, 1));
    await joined;
    expect(operation).toHaveBeenCalledTimes(attempt + 1);
  }
});

it('does not remember an abort as a failure', async () => {
  const task = new SharedTask(
    signal =>
      new Promise<string>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        setTimeout(() => resolve('done'), 20);
      }),
    { rememberFailureFor: 1000 },
  );
  const controller = new AbortController();
  const joined = task.join(controller);
  controller.abort();
  await expect(joined).rejects.toThrow();
  expect(await task.join()).toBe('done');
});
