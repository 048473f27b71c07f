import { expect, it } from 'vitest';
import { addUsage } from '../../src/parts/usage.js';

const usage = (inputTokens?: number, outputTokens?: number, reasoningTokens?: number) => ({
  inputTokens,
  outputTokens,
  totalTokens: undefined,
  reasoningTokens,
  cachedInputTokens: undefined,
});

it('adds up counts that both sides have', () => {
  expect(addUsage(usage(1, 2, 3), usage(10, 20, 30))).toEqual(usage(11, 22, 33));
});

it('uses the only known count as the sum, and leaves counts undefined that both sides lack', () => {
  expect(addUsage(usage(1, undefined, 0), usage(undefined, 20))).toEqual(usage(1, 20, 0));
});
