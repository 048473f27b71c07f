import { expect, it } from 'vitest';
import { createGrowingText } from '../../src/parts/growing-text.js';

it.each([0, 1, 511, 512, 513, 3000])('is the text of its %i pieces', count => {
  const pieces = Array.from({ length: count }, (_, index) => `${index} `);
  const text = createGrowingText();
  for (const piece of pieces) text.append(piece);
  expect(text.toString()).toBe(pieces.join(''));
  expect(text.length).toBe(pieces.join('').length);
});

it('grows on after it was read', () => {
  const text = createGrowingText();
  text.append('one');
  expect(text.toString()).toBe('one');
  text.append(' two');
  expect(text.toString()).toBe('one two');
});
