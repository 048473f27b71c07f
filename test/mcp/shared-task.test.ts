import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createSharedTask } from '../../src/mcp/session/current-session.js';

it('runs once for concurrent callers', async () => {
  const operation = vi.fn(async () => 'done');
  const task = createSharedTask(operation);
  expect(await Promise.all([task.join(), task.join()])).toEqual(['done', 'done']);
  expect(operation).toHaveBeenCalledTimes(1);
});

it('continues when one of two callers leaves, and is aborted when the last one leaves', async () => {
  let seen: AbortSignal | undefined;
  const task = createSharedTask(signal => {
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

it('remembers a failure for the configured time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const operation = vi.fn(async () => {
    throw new Error('broken');
  });
  const task = createSharedTask(operation, { rememberFailureFor: 1000 });
  await expect(task.join()).rejects.toThrow('broken');
  await expect(task.join()).rejects.toThrow('broken');
  expect(operation).toHaveBeenCalledTimes(1);
  vi.setSystemTime(Date.now() + 1001);
  await expect(task.join()).rejects.toThrow('broken');
  expect(operation).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

it('does not remember an abort as a failure', async () => {
  const task = createSharedTask(
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
