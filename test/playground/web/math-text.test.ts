import { expect, it } from 'vitest';
import { mayHaveMath, toDollarMath } from '../../../playground/web/ui/math-text.js';

it('writes formulas of models with dollars', () => {
  expect(toDollarMath(String.raw`Sum \( a+b \) and $x$.`)).toBe('Sum $a+b$ and $x$.');
  expect(toDollarMath('\\[\n\\frac{1}{2}\n\\]')).toBe('$$\n\\frac{1}{2}\n$$');
  expect(toDollarMath('Then\n$$a$$\nend, and $$b$$ here')).toBe('Then\n$$\na\n$$\nend, and $$b$$ here');
});

it('takes no price, no code and no escaped dollar for a formula', () => {
  expect(toDollarMath('It costs $5 and **now** $6.')).toBe('It costs \\$5 and **now** \\$6.');
  expect(toDollarMath('from $5-$10')).toBe('from \\$5-\\$10');
  expect(toDollarMath('`$a$` and ``\\(b`\\)`` and \\$c$')).toBe('`$a$` and ``\\(b`\\)`` and \\$c\\$');
});

it('reads long texts without the ends of formulas, also if they are made to be slow', () => {
  const hostile = ['\\( ', '\\[', '$ ', '$$ x ', '`` ` ', 'a $', ' $'];
  for (const part of hostile) expect(toDollarMath(part.repeat(100_000)).length).toBeGreaterThan(100_000);
});

it('finds texts that may have a formula', () => {
  expect(['$x$', '\\(x\\)', '\\[x\\]', '$5 or $6'].map(mayHaveMath)).toEqual([true, true, true, true]);
  expect(['plain', '$5', 'f(x)'].map(mayHaveMath)).toEqual([false, false, false]);
});
