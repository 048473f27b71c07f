import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkSignal, onceAborted, untilAborted } from '../../../src/core/shared/abort.js';

describe('onceAborted', () => {
  it('calls all functions of a signal in order, with a single listener', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const called: number[] = [];
    for (let number = 0; number < 100; number++) onceAborted(signal, () => called.push(number));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(called).toEqual(Array.from({ length: 100 }, (_, number) => number));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('removes each function alone, and the listener with the last one', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const called: string[] = [];
    const add = (name: string) => onceAborted(signal, () => called.push(name));
    const [removeA, removeB] = [add('a'), add('b')];
    removeA();
    removeA();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    removeB();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const removeC = add('c');
    removeB();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    removeC();
    expect(called).toEqual(['c']);
  });

  it('does not call a function that another one removes during the abort', () => {
    const controller = new AbortController();
    const called: string[] = [];
    let remove = () => {};
    onceAborted(controller.signal, () => remove());
    remove = onceAborted(controller.signal, () => called.push('removed'));
    controller.abort();
    expect(called).toEqual([]);
  });
});

describe('linkSignal', () => {
  it('aborts with the reason of the outer signal', () => {
    const outer = new AbortController();
    const { signal } = linkSignal(outer.signal);
    expect(signal.aborted).toBe(false);
    outer.abort('why');
    expect(signal).toMatchObject({ aborted: true, reason: 'why' });
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  it('starts aborted if the outer signal is aborted', () => {
    const outer = AbortSignal.abort('why');
    expect(linkSignal(outer).signal).toMatchObject({ aborted: true, reason: 'why' });
    expect(getEventListeners(outer, 'abort')).toEqual([]);
  });

  it('aborts without the outer signal', () => {
    const outer = new AbortController();
    const linked = linkSignal(outer.signal);
    linked.abort('mine');
    outer.abort('yours');
    expect(linked.signal.reason).toBe('mine');
    const alone = linkSignal(undefined);
    alone.abort('mine');
    expect(alone.signal.reason).toBe('mine');
  });

  it('removes its listener on release', () => {
    const outer = new AbortController();
    const linked = linkSignal(outer.signal);
    linked.release();
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
    outer.abort();
    expect(linked.signal.aborted).toBe(false);
  });
});

const never = new Promise<never>(() => {});

describe('untilAborted', () => {
  it('settles like the promise, and removes its listener', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    expect(await untilAborted(Promise.resolve(2), undefined)).toBe(2);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason as soon as the signal aborts', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(new Error('why'));
    await expect(waiting).rejects.toThrow('why');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('rejects if the signal is already aborted', async () => {
    await expect(untilAborted(never, AbortSignal.abort(new Error('why')))).rejects.toThrow('why');
  });

  it('ignores a rejection after the abort', async () => {
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
