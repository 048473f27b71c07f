import { type ESLint, Linter } from 'eslint';
import ts from 'typescript';
import { parser } from 'typescript-eslint';
import { expect, it } from 'vitest';

// The rule is a module without types.
const rules = '../../.eslint.bound-methods.mjs';
const { boundMethods } = (await import(rules)) as { boundMethods: ESLint.Plugin };

const FILE = 'sample.ts';
const DECLARATIONS = `
  class Box {
    #value = 1;
    read() { return this.#value; }
    plain() { return 1; }
    readonly arrow = () => this.#value;
  }
  interface Source { next(): number }
  declare const box: Box;
  declare const source: Source;
  declare function run(action: () => number): void;
`;

/** Returns the number of reports for a line of code after the declarations. */
function reportsFor(line: string): number {
  const text = DECLARATIONS + line;
  const host = ts.createCompilerHost({});
  const source = ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022, true);
  const program = ts.createProgram({
    rootNames: [FILE],
    options: { target: ts.ScriptTarget.ES2022, noLib: true, noResolve: true },
    host: { ...host, getSourceFile: name => (name === FILE ? source : undefined) },
  });
  const messages = new Linter().verify(
    text,
    {
      files: ['**/*.ts'],
      languageOptions: { parser: parser as Linter.Parser, parserOptions: { programs: [program] } },
      plugins: { bound: boundMethods },
      rules: { 'bound/bound-methods': 'error' },
    },
    FILE,
  );
  expect(messages.filter(({ ruleId }) => ruleId !== 'bound/bound-methods')).toEqual([]);
  return messages.length;
}

it.each([
  'run(box.read);',
  'const read = box.read;',
  'const { read } = box;',
  'const { read: renamed } = box;',
  'function use({ read }: Box) { return read; }',
  'const holder = { read: box.read };',
  'const maybe = box?.read;',
])('reports a method that leaves its object: %s', line => {
  expect(reportsFor(line)).toBe(1);
});

it.each([
  'box.read();',
  'box?.read();',
  'run(() => box.read());',
  'run(box.arrow);',
  'run(box.plain);',
  'const { arrow } = box;',
  'run(source.next);',
  'const isSame = box.read === box.read;',
])('accepts %s', line => {
  expect(reportsFor(line)).toBe(0);
});
