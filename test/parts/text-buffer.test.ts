import { expect, it } from 'vitest';
import { createTextBuffer } from '../../src/parts/text-buffer.js';

it.each([0, 1, 511, 512, 513, 3000])('is the text of its %i pieces', count => {
  const pieces = Array.from({ length: count }, (_, index) => `${index} `);
  const text = createTextBuffer();
  for (const piece of pieces) text.append(piece);
  expect(text.toString()).toBe(pieces.join(''));
  expect(text.length).toBe(pieces.join('').length);
});

it('grows on after it was read', () => {
  const text = createTextBuffer();
  text.append('one');
  expect(text.toString()).toBe('one');
  text.append(' two');
  expect(text.toString()).toBe('one two');
});
