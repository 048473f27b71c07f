import { describe, expect, it } from 'vitest';
import { endOf, type RoundEnd } from '../../src/tool-loop/turn/turn.js';

type Facts = Parameters<typeof endOf>[0];

const facts: Facts = {
  finishReason: { unified: 'stop', raw: undefined },
  mayCall: true,
  isInterlude: false,
  calls: 0,
  hostCalls: 0,
};

describe('a round', () => {
  it.each<[RoundEnd, string, Partial<Facts>]>([
    ['answer', 'no call', {}],
    ['answer', 'no call, although none was allowed', { mayCall: false }],
    ['next', 'a call of the loop', { calls: 1 }],
    ['limit', 'a call of the loop that was not allowed', { calls: 1, mayCall: false }],
    ['waiting', 'a call of the host', { hostCalls: 1 }],
    ['waiting', 'calls of the loop and of the host', { calls: 2, hostCalls: 1 }],
    ['waiting', 'a call of the host that was not allowed', { calls: 1, hostCalls: 1, mayCall: false }],
    ['interlude', 'what a feature requested', { isInterlude: true }],
  ])('ends with "%s" after %s', (end, _, changed) => {
    expect(endOf({ ...facts, ...changed })).toBe(end);
  });

  it.each(['error', 'length', 'content-filter'] as const)(
    'ends with "incomplete" for the reason "%s", whatever it contains',
    unified => {
      const finishReason = { unified, raw: undefined };
      for (const changed of [{}, { calls: 1 }, { hostCalls: 1 }, { mayCall: false, calls: 1 }])
        expect(endOf({ ...facts, ...changed, finishReason })).toBe('incomplete');
    },
  );

  it.each(['tool-calls', 'other', 'interrupted'] as const)(
    'does not end with "incomplete" for the reason "%s"',
    unified => {
      expect(endOf({ ...facts, finishReason: { unified, raw: undefined } })).toBe('answer');
      expect(endOf({ ...facts, calls: 1, finishReason: { unified, raw: undefined } })).toBe('next');
    },
  );
});
