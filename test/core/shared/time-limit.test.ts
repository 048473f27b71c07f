import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTimeLimit } from '../../../src/core/shared/abort.js';

const message = 'Too late.';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a time limit', () => {
  it('aborts after its time, counted from the last restart', () => {
    const limit = createTimeLimit(undefined, { milliseconds: 100, message });
    vi.advanceTimersByTime(90);
    limit.restart();
    vi.advanceTimersByTime(90);
    expect(limit.isOver).toBe(false);
    vi.advanceTimersByTime(10);
    expect(limit.isOver).toBe(true);
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message });
  });

  it('aborts with the other signal, which does not count as a timeout', () => {
    const controller = new AbortController();
    const limit = createTimeLimit(controller.signal, { milliseconds: 100, message });
    controller.abort('enough');
    expect(limit.signal.reason).toBe('enough');
    limit.restart();
    vi.advanceTimersByTime(200);
    expect(limit.isOver).toBe(false);
  });

  it('never aborts without a time', () => {
    const limit = createTimeLimit(undefined, { milliseconds: undefined, message });
    expect(vi.getTimerCount()).toBe(0);
    expect(limit.signal.aborted).toBe(false);
  });

  it.each([2 ** 31, Number.POSITIVE_INFINITY])(
    'does not abort immediately with %d milliseconds',
    milliseconds => {
      const limit = createTimeLimit(undefined, { milliseconds, message });
      vi.advanceTimersByTime(60_000);
      expect(limit.isOver).toBe(false);
      limit.release();
    },
  );

  it('releases its timer and its listener', () => {
    const { signal } = new AbortController();
    createTimeLimit(signal, { milliseconds: 100, message }).release();
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
