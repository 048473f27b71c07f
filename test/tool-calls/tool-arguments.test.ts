import type { JSONSchema7 } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToolArguments } from '../../src/tool-calls/tool-arguments.js';

/** The arguments, or what was wrong with them. */
function parse(text: string, schema?: JSONSchema7): unknown {
  const parsed = parseToolArguments(text, { schema });
  return parsed.success ? parsed.input : parsed.reason;
}

const object = (properties: Record<string, JSONSchema7>): JSONSchema7 => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

describe('arguments without a schema', () => {
  it.each([
    ['no arguments', '', {}],
    ['white space', ' \n', {}],
    ['an object', '{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
    ['JSON that was made JSON again', JSON.stringify('{"a":"x"}'), { a: 'x' }],
    ['JSON that was made JSON twice more', JSON.stringify(JSON.stringify('{"a":"x"}')), { a: 'x' }],
    ['escapes without the quotes around them', '{\\"a\\": \\"line\\\\nbreak\\"}', { a: 'line\nbreak' }],
    ['the same, with a bracket missing', '{\\"a\\": \\"x\\"', { a: 'x' }],
    ['a bracket missing', '{"a": [1, 2', { a: [1, 2] }],
    ['single quotes, Python constants, a trailing comma', "{'a': True, 'b': None,}", { a: true, b: null }],
    ['keys without quotes', '{a: 1}', { a: 1 }],
    ['a code fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['a line break within a text', '{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['a path with lone backslashes', '{"a": "C:\\Users\\ada\\dir"}', { a: 'C:\\Users\\ada\\dir' }],
    ['a pattern with lone backslashes', '{"a": "^\\d+\\s\\w$"}', { a: '^\\d+\\s\\w$' }],
    [
      'the same beside another slip',
      '{"a": "C:\\Users\\ada", "b": "\\d+",',
      { a: 'C:\\Users\\ada', b: '\\d+' },
    ],
    ['an apostrophe that is escaped', '{"a": "it\\\'s"}', { a: "it's" }],
    ['an apostrophe that is escaped between single quotes', "{'a': 'it\\'s'}", { a: "it's" }],
    ['the whole told twice', '{"a": "x"}{"a": "x"}', { a: 'x' }],
    ['an apostrophe within a text', '{"a": "it\'s", b: 1}', { a: "it's", b: 1 }],
  ])('are read from %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['words', 'nonsense'],
    ['a text', '"text"'],
    ['a list', '[1, 2]'],
    ['a number', '42'],
    ['null', 'null'],
    ['two objects', '{"a":1}\n{"b":2}'],
    ['half a text', '{"path": "/tmp/impor'],
    ['half a text in single quotes', "{'path': '/tmp/impor"],
    ['half a text that is escaped twice', '{\\"path\\": \\"/tmp/impor'],
    ['half of what was made JSON again', '"{\\"path\\": \\"/tmp/impor'],
    ['a text that a single quote breaks', "{'a': 'it's'}"],
  ])('are not read from %s', (_, text) => {
    expect(parse(text)).toBe(`expected a JSON object, got ${text}`);
  });

  it('show only their beginning where they cannot be read', () => {
    expect(parse('x'.repeat(5000))).toBe(`expected a JSON object, got ${'x'.repeat(100)}…`);
  });

  it.each([
    '{"__proto__": {"admin": true}}',
    '{"a": [{"__proto__": 1}]}',
    '{"constructor": {"prototype": {"admin": true}}}',
    '{"\\u005f_proto__": {}}',
  ])('are refused with the keys of %s', text => {
    expect(parse(text)).toBe(`expected no prototype key, got ${text}`);
  });

  it('may be called constructor', () => {
    expect(parse('{"constructor": "brick"}')).toEqual({ constructor: 'brick' });
  });

  it('are refused when they are nested too deep to be written again', () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(parse(deep)).toMatch(/^expected fewer levels, got \{"a":\[/);
  });

  it('keep every value as it was written', () => {
    expect(parse('{"a": "123", "b": "null", "c": "true", "d": "[1]", "e": "1e3"}')).toEqual({
      a: '123',
      b: 'null',
      c: 'true',
      d: '[1]',
      e: '1e3',
    });
  });

  it('that are an object come out the same, whatever is in them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value => {
        fc.pre(!Object.hasOwn(value, '__proto__') && !JSON.stringify(value).includes('__proto__'));
        const text = JSON.stringify(value);
        expect(parseToolArguments(text)).toEqual({
          success: true,
          input: JSON.parse(text),
          json: text,
          isRepaired: false,
        });
      }),
    );
  });

  it('are read or refused, and never throw, wherever they break off or are broken', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 3 }))
      .map(([json, at, more]) => json.slice(0, at % (json.length + 1)) + more + json.slice(at % 7));
    fc.assert(
      fc.property(
        fc.oneof(
          broken,
          fc.string(),
          fc.json().map(json => JSON.stringify(json)),
        ),
        text => {
          const parsed = parseToolArguments(text);
          if (parsed.success) expect(JSON.parse(parsed.json)).toEqual(parsed.input);
          else expect(parsed.reason).toMatch(/^expected .*, got /s);
        },
      ),
    );
  });

  it('keep the digits of long numbers in their JSON', () => {
    const text = '{"id": 9007199254740993, "big": 18446744073709551615}';
    expect(parseToolArguments(text)).toMatchObject({ json: text, isRepaired: false });
    expect(parseToolArguments(text.slice(0, -1))).toMatchObject({ json: text, isRepaired: true });
  });

  it('are written without white space otherwise', () => {
    expect(parseToolArguments('{ "a": 1 }')).toMatchObject({ json: '{"a":1}', isRepaired: false });
    expect(parseToolArguments('{ "a": 1')).toMatchObject({ json: '{"a":1}', isRepaired: true });
  });
});

const nullable = (schema: JSONSchema7): JSONSchema7 => ({ anyOf: [schema, { type: 'null' }] });

describe('a text where the schema allows none', () => {
  it.each<[string, JSONSchema7, string, unknown]>([
    ['an integer', { type: 'integer' }, '3', 3],
    ['a number', { type: 'number' }, '-2.5e3', -2500],
    ['a boolean', { type: 'boolean' }, 'true', true],
    ["a boolean in Python's spelling", { type: 'boolean' }, 'False', false],
    ['a list', { type: 'array', items: { type: 'integer' } }, '[1, 2]', [1, 2]],
    ['a list of texts that are numbers', { type: 'array', items: { type: 'integer' } }, '["1"]', [1]],
    ['an object', { type: 'object' }, '{"a": 1}', { a: 1 }],
    ["an object in Python's spelling", { type: 'object' }, "{'a': None}", { a: null }],
    ['null where it may be null', nullable({ type: 'integer' }), 'null', null],
    ["null in Python's spelling", nullable({ type: 'integer' }), 'None', null],
    ['one of several types', { type: ['integer', 'boolean'] }, 'true', true],
    ['an alternative further in', { anyOf: [nullable({ type: 'object' }), { type: 'integer' }] }, '7', 7],
    ['an option', { enum: [1, 2] }, '2', 2],
    ['a constant', { const: 5 }, '5', 5],
    ['what a reference stands for', { $ref: '#/$defs/size' }, '5', 5],
  ])('is read as %s', (_, schema, text, expected) => {
    const root = { ...object({ value: schema }), $defs: { size: { type: 'integer' } } } as JSONSchema7;
    expect(parse(JSON.stringify({ value: text }), root)).toEqual({ value: expected });
  });

  it.each<[string, JSONSchema7, string]>([
    ['that is no number', { type: 'integer' }, 'three'],
    ['that is no integer', { type: 'integer' }, '2.5'],
    ['that Python would take for a number', { type: 'integer' }, '1_000'],
    ['that means no finite number', { type: 'number' }, '1e999'],
    ['with more digits than can be counted', { type: 'integer' }, '9007199254740993'],
    ['that is neither true nor false', { type: 'boolean' }, 'yes'],
    ['that is no list, but has commas', { type: 'array' }, 'Hello, world'],
    ['that is null where nothing may be', { type: 'integer' }, 'null'],
    ['that is cut', { type: 'object' }, '{"path": "/tmp/impor'],
    ['that is none of the options', { enum: [1, 2] }, '3'],
  ])('stays as it is %s', (_, schema, text) => {
    expect(parse(JSON.stringify({ value: text }), object({ value: schema }))).toEqual({ value: text });
  });
});

describe('a value that the schema allows', () => {
  it.each<[string, JSONSchema7, unknown]>([
    ['a text of digits', { type: 'string' }, '123'],
    ['the text null where it may be null', nullable({ type: 'string' }), 'null'],
    ['a text in a union', { type: ['string', 'integer'] }, '3'],
    ['a text without a type', {}, '3'],
    ['a text of an unknown type', { type: 'varchar' } as unknown as JSONSchema7, '3'],
    ['a text at a property nobody declared', true as unknown as JSONSchema7, '[1]'],
    ['a number where a text is wanted', { type: 'string' }, 3],
    [
      'a text that fits the second alternative',
      { anyOf: [object({ id: { type: 'integer' } }), object({ id: { type: 'string' } })] },
      { id: '3' },
    ],
  ])('is left alone: %s', (_, schema, value) => {
    expect(parse(JSON.stringify({ value }), object({ value: schema }))).toEqual({ value });
  });

  it('is no repair, and one that was mended is', () => {
    const schema = object({ value: { type: 'integer' } });
    expect(parseToolArguments('{"value": 3}', { schema })).toMatchObject({ isRepaired: false });
    expect(parseToolArguments('{"value": "3"}', { schema })).toMatchObject({
      isRepaired: true,
      json: '{"value":3}',
    });
    expect(parseToolArguments('{"other": 3}', { schema })).toMatchObject({ isRepaired: false });
  });
});

describe('a schema that is none', () => {
  it.each([
    { properties: null },
    { properties: { value: null } },
    { required: 'value', anyOf: {}, enum: 'x' },
    { $ref: 5 },
    { $ref: '#/no/where' },
    { type: 5 },
    { properties: { value: { type: 'integer', items: 'x', anyOf: [null, 5] } } },
  ])('does no harm: %j', schema => {
    expect(parse('{"value": "x"}', schema as unknown as JSONSchema7)).toEqual({ value: 'x' });
  });

  it('that has itself for alternatives comes to an end', () => {
    const self: JSONSchema7 = { $ref: '#/$defs/self' };
    const schema = {
      ...object({ value: self }),
      $defs: { self: { anyOf: [self, self, { type: 'integer' }] } },
    } as JSONSchema7;
    expect(parse('{"value": "x"}', schema)).toEqual({ value: 'x' });
  });
});
