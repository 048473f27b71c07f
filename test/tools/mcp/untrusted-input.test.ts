import { expect, it } from 'vitest';
import { toPlainText } from '../../../src/tools/mcp/untrusted-input.js';

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
])('makes %j plain', (text, plain) => {
  expect(toPlainText(text)).toBe(plain);
});
