import { describe, expect, it } from 'vitest';
import { previewArguments } from '../../../playground/web/ui/argument-preview.js';

describe('the preview of arguments', () => {
  it.each([
    { input: { city: 'Rome', days: 3, units: null }, expected: 'city: "Rome", days: 3, units: null' },
    { input: '{"city":"Rome"}', expected: 'city: "Rome"' },
    {
      input: { list: [1], none: [], object: { a: 1 }, empty: {} },
      expected: 'list: […], none: [], object: {…}, empty: {}',
    },
    { input: { text: 'two\nlines' }, expected: 'text: "two lines"' },
    { input: [1, 2], expected: '[…]' },
    { input: 'incomplete {', expected: 'incomplete {' },
    { input: {}, expected: '' },
    { input: undefined, expected: '' },
  ])('of $input is $expected', ({ input, expected }) => {
    expect(previewArguments(input)).toBe(expected);
  });

  it('is cut to its length, also for large arguments', () => {
    const large = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`key${index}`, 'x'.repeat(100)]),
    );

    expect(previewArguments({ text: 'word '.repeat(100) }, { maxLength: 20 })).toBe('text: "word word wo…');
    expect(previewArguments(large)).toHaveLength(80);
    expect(previewArguments(JSON.stringify(large))).toHaveLength(80);
  });
});
