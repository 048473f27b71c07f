import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../src/shared/until-aborted.js';

const never = new Promise<never>(() => {});

describe('untilAborted', () => {
  it('gives what the promise gives, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    expect(await untilAborted(Promise.resolve(2), undefined)).toBe(2);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason as soon as the signal aborts, whatever the promise does', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(new Error('why'));
    await expect(waiting).rejects.toThrow('why');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('rejects where the signal was aborted before', async () => {
    await expect(untilAborted(never, AbortSignal.abort(new Error('why')))).rejects.toThrow('why');
  });

  it('swallows what the promise rejects with after the abort', async () => {
    const controller = new AbortController();
    let fail = (_: Error) => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const waiting = untilAborted(work, controller.signal);
    controller.abort(new Error('why'));
    fail(new Error('too late'));
    // An unhandled rejection would fail the run.
    await expect(waiting).rejects.toThrow('why');
  });
});
