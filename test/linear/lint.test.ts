import { type ESLint, Linter } from 'eslint';
import { expect, it } from 'vitest';

// The rule is a module without types.
const rules = '../../.eslint.linear-expressions.mjs';
const { linearExpressions } = (await import(rules)) as { linearExpressions: ESLint.Plugin };
const linter = new Linter();

const isReported = (expression: string): boolean =>
  linter.verify(`export default ${expression};`, {
    plugins: { kelivo: linearExpressions },
    rules: { 'kelivo/linear-expressions': 'error' },
  }).length > 0;

it.each([
  String.raw`/\s*$/`,
  String.raw`/\s+>$/`,
  String.raw`/(?:\s*<\/[\w:.-]+>)+\s*$/`,
  String.raw`/(?:a?[^x]*)x/`,
  String.raw`/.*:/`,
  String.raw`/[^"]*"/g`,
  String.raw`/<[^>]*>/g`,
  String.raw`/a{2,}b/`,
  String.raw`/^x|\w+=/`,
  String.raw`/(?=a)\w*-/`,
  String.raw`/\b.*x/`,
  String.raw`new RegExp('\\s*x')`,
])('reports an expression that searches the rest of a text from each position: %s', expression => {
  expect(isReported(expression)).toBe(true);
});

it.each([
  String.raw`/\s+/g`,
  String.raw`/\s*x?/g`,
  String.raw`/^\s*x/`,
  String.raw`/\s*x/y`,
  String.raw`/(?<!\s)\s+$/`,
  String.raw`/\bE[A-Z]*\b/`,
  String.raw`/<[^<>]*>/g`,
  String.raw`/\s{0,20}x/`,
  String.raw`/:.*$/s`,
  String.raw`/"(?:x|y)*"/`,
])('accepts an expression that takes linear time: %s', expression => {
  expect(isReported(expression)).toBe(false);
});
