import { describe, expect, it } from 'vitest';
import { isWithinBounds, quoteName, toPlainText } from '../../../src/tools/mcp/transport/untrusted-input.js';

it.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b[2J\u001b[1;1Hcleared', 'cleared'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['bell\u0007 and \u009bC1', 'bell and C1'],
  ['two\r\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['turned \u202earound\u2066', 'turned around'],
  ['hidden \u{e0041}\u{e0042}', 'hidden '],
  [
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👨‍👩‍👧',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👨‍👩‍👧',
  ],
])('converts %j to plain text', (text, plain) => {
  expect(toPlainText(text)).toBe(plain);
});

it('quotes a name on one line and escapes invisible characters', () => {
  expect(quoteName('two\nlines and \u202e')).toBe('"two\\nlines and \\u{202e}"');
  expect(quoteName('x'.repeat(100))).toBe(`"${'x'.repeat(80)}…"`);
});

describe('isWithinBounds', () => {
  it('counts nested values', () => {
    expect(isWithinBounds({ a: { b: 1 } }, { maxDepth: 2, maxSize: 100 })).toBe(true);
    expect(isWithinBounds({ a: { b: 1 } }, { maxDepth: 1, maxSize: 100 })).toBe(false);
    expect(isWithinBounds([[[]]], { maxDepth: 1, maxSize: 100 })).toBe(false);
  });

  it('counts the characters of keys and strings, and each value', () => {
    expect(isWithinBounds({ four: 'five5' }, { maxDepth: 9, maxSize: 4 + 5 + 2 })).toBe(true);
    expect(isWithinBounds({ four: 'five5' }, { maxDepth: 9, maxSize: 4 + 5 + 1 })).toBe(false);
  });

  it('does not overflow the stack for a hundred thousand nested levels', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(isWithinBounds(deep, { maxDepth: 200_000, maxSize: 200_000 })).toBe(true);
  });
});
