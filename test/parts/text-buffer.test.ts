import { expect, it } from 'vitest';
import { createTextBuffer } from '../../src/parts/text-buffer.js';

it.each([0, 1, 511, 512, 513, 3000])('joins %i chunks', count => {
  const chunks = Array.from({ length: count }, (_, index) => `${index} `);
  const text = createTextBuffer();
  for (const chunk of chunks) text.append(chunk);
  expect(text.toString()).toBe(chunks.join(''));
  expect(text.length).toBe(chunks.join('').length);
});

it('accepts more text after it was read', () => {
  const text = createTextBuffer();
  text.append('one');
  expect(text.toString()).toBe('one');
  text.append(' two');
  expect(text.toString()).toBe('one two');
});
