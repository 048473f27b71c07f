import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlToJson } from '../../../src/adapters/text-tools/values/yaml-block.js';
import fc from '../../_property.js';

const read = (text: string, schema: unknown = {}): unknown => {
  const found = yamlToJson(text, schema);
  return found === undefined ? undefined : (JSON.parse(found.json) as unknown);
};

/** A reader of YAML 1.2. Undefined for what it rejects. */
function readByLibrary(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' }) ?? {};
  } catch {
    return undefined;
  }
}

describe('arguments in YAML', () => {
  it.each<[string, unknown]>([
    ['city: Paris\nunit: celsius\n', { city: 'Paris', unit: 'celsius' }],
    ['\n  city: Paris\n  days: 3\n', { city: 'Paris', days: 3 }],
    ["\"a\": \"1\\n2\"\n'b': 'it''s'", { a: '1\n2', b: "it's" }],
    [
      'content: |\n  <p>\n    # no comment\n  </p>\nmode: on',
      { content: '<p>\n  # no comment\n</p>\n', mode: 'on' },
    ],
    ['content: |-\n  a: b\n\n  c\n', { content: 'a: b\n\nc' }],
    ['content: >\n  one\n  two\n\n  three\n', { content: 'one two\nthree\n' }],
    ['from:\n  x: 1\n  y: -2.5\nlabels:\n- a\n- b c\n', { from: { x: 1, y: -2.5 }, labels: ['a', 'b c'] }],
    ['edits:\n  - path: a\n    text: b\n  - path: c\n', { edits: [{ path: 'a', text: 'b' }, { path: 'c' }] }],
    [
      'from: {"x": 1}\nlabels: ["a"]\nnone: ~\nis: true',
      { from: { x: 1 }, labels: ['a'], none: null, is: true },
    ],
    ['# a comment\ncity: Paris # and one behind', undefined],
    ['url: http://example.com/a:b', { url: 'http://example.com/a:b' }],
    ['tags:\n  -\n  - b\n', { tags: [null, 'b'] }],
    ['a: |+\n  x\n\nb: 1', { a: 'x\n\n', b: 1 }],
    ['a: |+\n\nb: |+\n  y\n', { a: '\n', b: 'y\n' }],
    ['', {}],
  ])('%j', (text, expected) => {
    expect(read(text)).toEqual(expected);
    if (expected !== undefined) expect(expected).toEqual(readByLibrary(text));
  });

  it.each([
    'city: Paris: France',
    'city: &a Paris',
    'city: *a',
    'city: !!str 1',
    'city: @a',
    'city: "Paris',
    "city: 'Paris",
    'city: Paris\n  France',
    'city: Paris\ncity: Rome',
    'city: {a: 1}',
    'city: [a, b]',
    'city: Paris\n\tunit: celsius',
    '- city',
    'Paris',
    '__proto__: 1',
    'content: >\n  one\n    two\n',
    '? city\n: Paris',
    'city: |2\n  Paris',
  ])('%j is not read, because it is wrong or may be read in two ways', text => {
    expect(read(text)).toBeUndefined();
  });

  it('has the types of the schema', () => {
    const schema = {
      type: 'object',
      properties: {
        zip: { type: 'string' },
        days: { type: 'integer' },
        answer: { type: 'string' },
        note: { type: ['string', 'null'] },
        codes: { type: 'array', items: { type: 'string' } },
      },
    };
    const text = 'zip: 01234\ndays: 3\nanswer: yes\nnote: null\ncodes:\n  - 1\n  - 2\n';
    expect(read(text, schema)).toEqual({
      zip: '01234',
      days: 3,
      answer: 'yes',
      note: null,
      codes: ['1', '2'],
    });
  });

  it('is what a library reads, or nothing', () => {
    const word = fc.stringMatching(/^[ -~]{0,12}$/);
    const line = fc
      .tuple(
        fc.nat(3),
        fc.constantFrom(
          '',
          '- ',
          'a: ',
          'b: ',
          'c:',
          'a: |',
          'b: >',
          'c: |-',
          'c: |+',
          'a: >+',
          '-',
          '# ',
          '"a": ',
          "'b': ",
        ),
        word,
      )
      .map(([indent, start, rest]) => `${' '.repeat(indent)}${start}${rest}`);
    let count = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), lines => {
        const text = lines.join('\n');
        const own = read(text);
        if (own === undefined) return;
        count++;
        expect({ text, read: own }).toEqual({ text, read: readByLibrary(text) });
      }),
      { numRuns: 20_000 },
    );
    expect(count).toBeGreaterThan(1000);
  });
});
