import { expect, it } from 'vitest';
import { isWithinBounds } from '../../../src/tools/mcp/is-within.js';

it('counts what lies within each other', () => {
  expect(isWithinBounds({ a: { b: 1 } }, { maxDepth: 2, maxSize: 100 })).toBe(true);
  expect(isWithinBounds({ a: { b: 1 } }, { maxDepth: 1, maxSize: 100 })).toBe(false);
  expect(isWithinBounds([[[]]], { maxDepth: 1, maxSize: 100 })).toBe(false);
});

it('counts the characters of keys and texts, and each value', () => {
  expect(isWithinBounds({ four: 'five5' }, { maxDepth: 9, maxSize: 4 + 5 + 2 })).toBe(true);
  expect(isWithinBounds({ four: 'five5' }, { maxDepth: 9, maxSize: 4 + 5 + 1 })).toBe(false);
});

it('does not overflow on what is nested a hundred thousand times', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(isWithinBounds(deep, { maxDepth: 200_000, maxSize: 200_000 })).toBe(true);
});
