import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkSignal } from '../../src/shared/link-signal.js';

describe('linkSignal', () => {
  it('aborts with the reason of the outer signal', () => {
    const outer = new AbortController();
    const { signal } = linkSignal(outer.signal);
    expect(signal.aborted).toBe(false);
    outer.abort('why');
    expect(signal).toMatchObject({ aborted: true, reason: 'why' });
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  it('is aborted from the start where the outer signal is', () => {
    const outer = AbortSignal.abort('why');
    expect(linkSignal(outer).signal).toMatchObject({ aborted: true, reason: 'why' });
    expect(getEventListeners(outer, 'abort')).toEqual([]);
  });

  it('aborts by itself, and leaves the outer signal alone', () => {
    const outer = new AbortController();
    const linked = linkSignal(outer.signal);
    linked.abort('mine');
    outer.abort('yours');
    expect(linked.signal.reason).toBe('mine');
    const alone = linkSignal(undefined);
    alone.abort('mine');
    expect(alone.signal.reason).toBe('mine');
  });

  it('lets go of the outer signal when it is released', () => {
    const outer = new AbortController();
    const linked = linkSignal(outer.signal);
    linked.release();
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
    outer.abort();
    expect(linked.signal.aborted).toBe(false);
  });
});
