import { expect, it } from 'vitest';

import fc from '../../_property.js';
import { compilePattern } from '../../../src/tools/mcp/features/linear-pattern.js';

const matches = (source: string, text: string) => compilePattern(source)?.(text, { left: 1_000_000 });

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  String.raw`\d`,
  String.raw`\w`,
  String.raw`\.`,
  '^',
  '$',
  String.raw`\b`,
  '-',
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?');
const { expression } = fc.letrec<{ expression: string; part: string }>(tie => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, quantifier).map(([one, sign]) => (/^(?:\^|\$|\\b)$/.test(one) ? one : one + sign)),
    fc.tuple(tie('expression'), quantifier).map(([inner, sign]) => `(${inner})${sign}`),
    fc.tuple(tie('expression'), tie('expression')).map(([left, right]) => `(?:${left}|${right})`),
  ),
  expression: fc.array(tie('part'), { maxLength: 3 }).map(parts => parts.join('')),
}));

it('decides as the engine of JavaScript', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '-', '\n', '😀'), maxLength: 8 });
  fc.assert(
    fc.property(expression, text, (source, value) => {
      expect(matches(source, value)).toBe(new RegExp(source, 'u').test(value));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  [String.raw`^\p{L}+$`, 'Äß', true],
  [String.raw`^\u{1F600}\u0041\x42$`, '😀AB', true],
  [String.raw`^[\w-.]+$`, 'a-b.c', true],
  [String.raw`^(?<year>\d{4})\-\d\d$`, '2026-11', true],
  ['^.$', '😀', true],
  ['', '', true],
  ['^[]$', 'a', false],
])('reads %j', (source, text, expected) => {
  expect(matches(source, text)).toBe(expected);
});

it.each([
  '(?=a)',
  '(?!a)',
  '(?<=a)',
  '(?<!a)',
  String.raw`(a)\1`,
  String.raw`(?<x>a)\k<x>`,
  '(?i:a)',
  '(',
  'a**',
  '(a{99}){99}',
])('does not follow %s', source => {
  expect(compilePattern(source)).toBeUndefined();
});

it('takes no more steps than are left', () => {
  const steps = { left: 100 };
  const pattern = compilePattern('^a+$');
  expect(pattern?.('aaa', steps)).toBe(true);
  expect(steps.left).toBeLessThan(100);
  expect(pattern?.('a'.repeat(100), steps)).toBeUndefined();
});
