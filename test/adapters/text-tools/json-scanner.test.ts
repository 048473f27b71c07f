import { describe, expect, it } from 'vitest';
import { JsonScanner, isSafeJson } from '../../../src/adapters/text-tools/values/json-scanner.js';
import fc from '../../_property.js';

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
  .filter(value => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(value)));

it('finds the end of a JSON value', () => {
  fc.assert(
    fc.property(container, fc.constantFrom(undefined, 2), fc.string(), (value, indent, rest) => {
      const json = JSON.stringify(value, null, indent);
      const scanner = new JsonScanner();
      expect(scanner.push(json + rest)).toBe(json.length);
      expect(scanner.state).toBe('complete');
    }),
  );
});

it('accepts exactly what JSON.parse accepts', () => {
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
      expect(isSafeJson(json)).toBe(parses(json));
    }),
    { numRuns: 3000 },
  );
});

describe('rejects', () => {
  it.each([
    ['a control character in a string', '["\n"]'],
    ['an unknown escape', '["\\x"]'],
    ['an incomplete escape', '["\\u12"]'],
    ['a trailing comma', '[1,]'],
    ['single quotes', "{'a': 1}"],
    ['a prototype key', '{"prototype": 1}'],
    ['an escaped prototype key', '{"\\u005f_proto__": 1}'],
    ['a nested prototype key', '{"a": [{"__proto__": 1}]}'],
    ['excessive nesting', '['.repeat(300) + ']'.repeat(300)],
  ])('%s', (_, json) => {
    const scanner = new JsonScanner();
    scanner.push(json);
    expect(scanner.state).toBe('invalid');
  });
});
