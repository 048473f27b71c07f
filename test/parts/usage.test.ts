import { expect, it } from 'vitest';
import { addUsage } from '../../src/parts/usage.js';

const usage = (inputTokens?: number, outputTokens?: number, reasoningTokens?: number) => ({
  inputTokens,
  outputTokens,
  totalTokens: undefined,
  reasoningTokens,
  cachedInputTokens: undefined,
});

it('adds up what both sides tell', () => {
  expect(addUsage(usage(1, 2, 3), usage(10, 20, 30))).toEqual(usage(11, 22, 33));
});

it('takes what one side tells for the sum, and leaves undefined what neither tells', () => {
  expect(addUsage(usage(1, undefined, 0), usage(undefined, 20))).toEqual(usage(1, 20, 0));
});
