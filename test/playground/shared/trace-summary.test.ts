import { expect, it } from 'vitest';
import { formatCost } from '../../../playground/shared/cost.js';
import { toTrace } from '../../../playground/shared/trace.js';
import { summarizeTrace, toAmount, toPercentile } from '../../../playground/shared/trace-summary.js';

it.each([
  [[], 0.5, undefined],
  [[7], 0.95, 7],
  [[30, 10, 20], 0.5, 20],
  [[4, 1, 3, 2], 0.5, 2],
  [Array.from({ length: 100 }, (_, index) => 100 - index), 0.95, 95],
  [[0, 0, 0, 9], 0.95, 9],
])('returns the percentile of %j at %d as %s', (values, share, expected) => {
  expect(toPercentile(values, share)).toBe(expected);
});

it('counts no cost of turns that ran in the emulator, and that of their models otherwise', () => {
  const usage = { inputTokens: 1000, outputTokens: 1000 };
  const prices = { 'gpt-5': { input: 1, cachedInput: 0.1, output: 10 } };
  const summarize = (endpoint: string) => {
    const { usages } = summarizeTrace(
      toTrace([
        { type: 'turn-start', at: 0, startedAt: '', modelId: 'gpt-5', endpoint, adapters: [] },
        { type: 'turn-end', at: 1, end: 'finished', usage },
      ]),
    );
    return [toAmount({ usages }, prices), formatCost(usages, prices)];
  };

  expect(summarize('emulator')).toEqual([undefined, 'no cost']);
  expect(summarize('emulator, replaying a recording')).toEqual([undefined, 'no cost']);
  expect(summarize('https://api.openai.com/v1')).toEqual([0.011, '$0.01100']);
});

it('counts the first token from the first request, and the duration from the click', () => {
  const trace = toTrace([
    { type: 'turn-start', at: 0, startedAt: '', modelId: 'm', endpoint: 'e', adapters: [], flag: 'kelivo' },
    { type: 'tools-requested', at: 5 },
    { type: 'tools-listed', at: 90 },
    { type: 'round-start', at: 95, round: 1 },
    {
      ...{ type: 'request', at: 100, exchange: 1, round: 1, method: 'POST' },
      ...{ url: '', headers: {}, body: {} },
    },
    { type: 'first-token', at: 106 },
    { type: 'turn-end', at: 120, end: 'finished' },
  ]);

  expect(summarizeTrace(trace)).toMatchObject({ firstTokenAt: 6, duration: 120 });
});
