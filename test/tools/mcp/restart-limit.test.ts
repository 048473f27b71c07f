import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRestartLimit } from '../../../src/tools/mcp/session/current-session.js';

type RestartLimit = ReturnType<typeof createRestartLimit>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function crash(limit: RestartLimit, times: number): void {
  for (let count = 0; count < times; count++) limit.recordCrash();
}

describe('createRestartLimit', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 250],
    [3, 500],
    [4, 1000],
  ])('delays the restart after %i crashes by %i ms', async (times, delay) => {
    const limit = createRestartLimit({ cooldown: 30_000 });
    crash(limit, times);
    const start = Date.now();
    const waiting = limit.waitForTurn({}).then(() => Date.now() - start);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await waiting).toBe(delay);
  });

  it('rejects restarts after five crashes without waiting, until the cooldown has passed', async () => {
    const limit = createRestartLimit({ cooldown: 30_000 });
    crash(limit, 5);
    vi.advanceTimersByTime(10_000);
    const timers = vi.getTimerCount();
    await expect(limit.waitForTurn({})).rejects.toMatchObject({
      kind: 'crashing',
      count: 5,
      milliseconds: 20_000,
    });
    expect(vi.getTimerCount()).toBe(timers);
    vi.advanceTimersByTime(20_000);
    await limit.waitForTurn({});
  });

  it('counts only the crashes of the last minute, and none after a reset', async () => {
    const limit = createRestartLimit({ cooldown: 300_000 });
    crash(limit, 5);
    vi.advanceTimersByTime(60_000);
    await limit.waitForTurn({});
    crash(limit, 5);
    limit.reset();
    await limit.waitForTurn({});
  });

  it('rejects with the reason of an abort and removes its timer', async () => {
    const limit = createRestartLimit({ cooldown: 30_000 });
    crash(limit, 3);
    const controller = new AbortController();
    const reason = new Error('enough');
    const timers = vi.getTimerCount();
    const waiting = limit.waitForTurn(controller);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(timers);
  });
});
