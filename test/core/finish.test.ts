import { expect, it } from 'vitest';
import { addUsage, toUsage } from '../../src/core/finish.js';

const usage = (input?: number, output?: number, reasoning?: number) => ({
  ...toUsage({}),
  inputTokens: { ...toUsage({}).inputTokens, total: input },
  outputTokens: { ...toUsage({}).outputTokens, total: output, reasoning },
});

it('adds up counts that both sides have', () => {
  expect(addUsage(usage(1, 2, 3), usage(10, 20, 30))).toEqual(usage(11, 22, 33));
});

it('uses the only known count as the sum, and leaves counts undefined that both sides lack', () => {
  expect(addUsage(usage(1, undefined, 0), usage(undefined, 20))).toEqual(usage(1, 20, 0));
});

it('adds a total of a server to the sum of the counts of another one', () => {
  expect(addUsage({ ...usage(1, 2), total: 9 }, usage(10, 20))).toEqual({ ...usage(11, 22), total: 39 });
});
