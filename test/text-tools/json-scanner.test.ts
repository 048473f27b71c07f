import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonScanner, isWholeJson } from '../../src/text-tools/json-scanner.js';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const container = fc
  .oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
  .filter(
    value =>
      !JSON.stringify(value).includes('__proto__') &&
      !('constructor' in value && Object.hasOwn(value, 'constructor')),
  );

it('finds the end of a value where JSON has it', () => {
  fc.assert(
    fc.property(container, fc.constantFrom(undefined, 2), fc.string(), (value, indent, rest) => {
      const json = JSON.stringify(value, null, indent);
      const scanner = createJsonScanner();
      expect(scanner.push(json + rest)).toBe(json.length);
      expect(scanner.state).toBe('whole');
    }),
  );
});

it('takes what JSON takes, and nothing else', () => {
  const snippet = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-',
    '.5',
    'e3',
    'true',
    'nul',
    ' ',
    '\\',
    '"',
    '\n',
    '01',
  );
  fc.assert(
    fc.property(fc.array(snippet, { maxLength: 8 }), snippets => {
      const json = `[${snippets.join('')}]`;
      expect(isWholeJson(json)).toBe(parses(json));
    }),
    { numRuns: 3000 },
  );
});

describe('refuses', () => {
  it.each([
    ['a control character in a string', '["\n"]'],
    ['an escape that is none', '["\\x"]'],
    ['half an escape', '["\\u12"]'],
    ['a comma at the end', '[1,]'],
    ['single quotes', "{'a': 1}"],
    ['a key of the prototype', '{"prototype": 1}'],
    ['one that is written with escapes', '{"\\u005f_proto__": 1}'],
    ['one further in', '{"a": [{"__proto__": 1}]}'],
    ['more depth than an argument has', '['.repeat(300) + ']'.repeat(300)],
  ])('%s', (_, json) => {
    const scanner = createJsonScanner();
    scanner.push(json);
    expect(scanner.state).toBe('wrong');
  });
});
