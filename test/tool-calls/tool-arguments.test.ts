import type { JSONSchema7 } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToolArguments } from '../../src/tool-calls/tool-arguments.js';

/** Returns the arguments, or the reason why they are invalid. */
function parse(text: string, schema?: JSONSchema7): unknown {
  const parsed = parseToolArguments(text, { schema });
  return parsed.success ? parsed.input : parsed.reason;
}

/** Returns true if every value is a complete value of `whole`, of which the last ones may be missing. */
function isPartOf(value: unknown, whole: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof whole !== 'object' || whole === null)
    return value === whole;
  const entries = new Map(Object.entries(whole));
  return Object.entries(value).every(([key, inner]) => entries.has(key) && isPartOf(inner, entries.get(key)));
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
    ['double-encoded JSON', JSON.stringify('{"a":"x"}'), { a: 'x' }],
    ['triple-encoded JSON', JSON.stringify(JSON.stringify('{"a":"x"}')), { a: 'x' }],
    ['escapes without surrounding quotes', '{\\"a\\": \\"line\\\\nbreak\\"}', { a: 'line\nbreak' }],
    ['escapes without surrounding quotes on several lines', '{\n  \\"a\\": \\"x\\"\n}', { a: 'x' }],
    ['escapes without surrounding quotes and with a missing bracket', '{\\"a\\": \\"x\\"', { a: 'x' }],
    ['missing brackets after a string', '{"a": ["x", "y"', { a: ['x', 'y'] }],
    ['missing brackets after a closed list', '{"a": {"b": [1, 2]', { a: { b: [1, 2] } }],
    ['a missing bracket after a constant', '{"a": null', { a: null }],
    ['a missing bracket after a constant of Python', "{'a': True", { a: true }],
    ['a missing bracket after a number and white space', '{"a": 12.5 ', { a: 12.5 }],
    ['a missing bracket after a comment', '{"a": 1 // one', { a: 1 }],
    ['a missing bracket between two closed ones', '{"a": [1, 2}', { a: [1, 2] }],
    ['single quotes, Python constants, a trailing comma', "{'a': True, 'b': None,}", { a: true, b: null }],
    ['keys without quotes', '{a: 1}', { a: 1 }],
    ['a code fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['a line break inside a string', '{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['a path with lone backslashes', '{"a": "C:\\Users\\ada\\dir"}', { a: 'C:\\Users\\ada\\dir' }],
    ['a pattern with lone backslashes', '{"a": "^\\d+\\s\\w$"}', { a: '^\\d+\\s\\w$' }],
    [
      'lone backslashes together with another error',
      '{"a": "C:\\Users\\ada", "b": "\\d+",}',
      { a: 'C:\\Users\\ada', b: '\\d+' },
    ],
    ['an escaped apostrophe', '{"a": "it\\\'s"}', { a: "it's" }],
    ['an escaped apostrophe between single quotes', "{'a': 'it\\'s'}", { a: "it's" }],
    ['JSON that occurs twice', '{"a": "x"}{"a": "x"}', { a: 'x' }],
    ['an apostrophe inside a string', '{"a": "it\'s", b: 1}', { a: "it's", b: 1 }],
  ])('are parsed from %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['words', 'nonsense'],
    ['a string', '"text"'],
    ['a list', '[1, 2]'],
    ['a number', '42'],
    ['null', 'null'],
    ['two objects', '{"a":1}\n{"b":2}'],
  ])('are not parsed from %s', (_, text) => {
    expect(parse(text)).toBe(`expected a JSON object, got ${text}`);
  });

  it.each([
    ['inside a string', '{"path": "/tmp/impor'],
    ['inside a string in single quotes', "{'path': '/tmp/impor"],
    ['inside a string that is escaped twice', '{\\"path\\": \\"/tmp/impor'],
    ['inside a string that is double-encoded', '"{\\"path\\": \\"/tmp/impor'],
    ['after a string that contains an unescaped quote', "{'a': 'it's'}"],
    ['after the opening bracket', '{'],
    ['after an inner bracket', '{"a": ['],
    ['after a key', '{"a": 1, "b"'],
    ['after a key without quotes', '{a: 1, b'],
    ['after a colon', '{"a":'],
    ['after a comma', '{"a": 1,'],
    ['after a comma in a list', '{"a": ["x",'],
    ['after a number', '{"amount": 9876'],
    ['after a number in a list', '{"a": [1, 2'],
    ['after the point of a number', '{"a": 12. '],
    ['after the sign of a number', '{"a": - '],
    ['inside a constant', '{"a": tru'],
    ['inside a constant, before white space', '{"a": nul '],
    ['inside a word without quotes', '{a: remo'],
    ['inside a comment', '{"a": "x" /* the'],
    ['inside a code fence', '```json\n{"a": 98'],
    ['after a number that is escaped twice', '{\\"amount\\": 9876'],
    ['after a number that is double-encoded', '"{\\"amount\\": 9876"'],
    ['after a number in its second copy', '{"a": 12}{"a": 1'],
    ['after a key that has no value', '{"a": }'],
    ['after a value without a comma before it', '{"a": ["he said "hi" and "'],
  ])('are not completed if they end %s', (_, text) => {
    expect(parse(text)).toBe(`expected complete JSON, got arguments that look truncated: ${text}`);
  });

  it('quote the end of a long truncated text', () => {
    const text = `{"a": "${'x'.repeat(200)}", "b": 98`;
    expect(parse(text)).toBe(
      `expected complete JSON, got arguments that look truncated: …${text.slice(-100)}`,
    );
  });

  it.each<[string, (json: string) => string]>([
    ['as JSON', json => json],
    ['escaped', json => JSON.stringify(json).slice(1, -1)],
    ['double-encoded', json => JSON.stringify(json)],
    ['with white space', json => JSON.stringify(JSON.parse(json), undefined, 2)],
  ])('contain no part of a value, wherever they are cut: %s', (_, encode) => {
    const plain = fc.dictionary(
      fc.string(),
      fc.jsonValue({ maxDepth: 3 }).filter(value => !JSON.stringify(value).includes('__proto__')),
    );
    fc.assert(
      fc.property(plain, fc.nat(), (value, at) => {
        fc.pre(!Object.hasOwn(value, '__proto__'));
        const text = encode(JSON.stringify(value));
        const parsed = parseToolArguments(text.slice(0, at % text.length));
        if (parsed.success) expect(isPartOf(parsed.input, JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are shortened in the error message', () => {
    expect(parse('x'.repeat(5000))).toBe(`expected a JSON object, got ${'x'.repeat(100)}…`);
  });

  it.each([
    '{"__proto__": {"admin": true}}',
    '{"a": [{"__proto__": 1}]}',
    '{"constructor": {"prototype": {"admin": true}}}',
    '{"\\u005f_proto__": {}}',
  ])('are rejected with the prototype keys of %s', text => {
    expect(parse(text)).toBe(`expected no prototype key, got ${text}`);
  });

  it('may have the name constructor', () => {
    expect(parse('{"constructor": "brick"}')).toEqual({ constructor: 'brick' });
  });

  it('are rejected if they are nested too deeply to be serialized', () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(parse(deep)).toMatch(/^expected fewer levels, got \{"a":\[/);
  });

  it('keep every value unchanged', () => {
    expect(parse('{"a": "123", "b": "null", "c": "true", "d": "[1]", "e": "1e3"}')).toEqual({
      a: '123',
      b: 'null',
      c: 'true',
      d: '[1]',
      e: '1e3',
    });
  });

  it('are unchanged if they are a valid object', () => {
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

  it('never cause an exception, whether truncated or malformed', () => {
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

  it('keep all digits of long numbers in their JSON', () => {
    const text = '{"id": 9007199254740993, "big": 18446744073709551615}';
    expect(parseToolArguments(text)).toMatchObject({ json: text, isRepaired: false });
    const cut = parseToolArguments(`${text.slice(0, -1)} `);
    expect(cut).toMatchObject({ isRepaired: true, json: expect.stringContaining('18446744073709551615') });
  });

  it('are serialized without white space otherwise', () => {
    expect(parseToolArguments('{ "a": 1 }')).toMatchObject({ json: '{"a":1}', isRepaired: false });
    expect(parseToolArguments('{ "a": 1 ')).toMatchObject({ json: '{"a":1}', isRepaired: true });
  });
});

const nullable = (schema: JSONSchema7): JSONSchema7 => ({ anyOf: [schema, { type: 'null' }] });

describe('a string that the schema does not allow', () => {
  it.each<[string, JSONSchema7, string, unknown]>([
    ['an integer', { type: 'integer' }, '3', 3],
    ['a number', { type: 'number' }, '-2.5e3', -2500],
    ['a boolean', { type: 'boolean' }, 'true', true],
    ['a boolean in Python syntax', { type: 'boolean' }, 'False', false],
    ['a list', { type: 'array', items: { type: 'integer' } }, '[1, 2]', [1, 2]],
    ['a list of strings with numbers', { type: 'array', items: { type: 'integer' } }, '["1"]', [1]],
    ['an object', { type: 'object' }, '{"a": 1}', { a: 1 }],
    ['an object in Python syntax', { type: 'object' }, "{'a': None}", { a: null }],
    ['null for a nullable type', nullable({ type: 'integer' }), 'null', null],
    ['null in Python syntax', nullable({ type: 'integer' }), 'None', null],
    ['one of several types', { type: ['integer', 'boolean'] }, 'true', true],
    ['a nested alternative', { anyOf: [nullable({ type: 'object' }), { type: 'integer' }] }, '7', 7],
    ['a value of an enum', { enum: [1, 2] }, '2', 2],
    ['a constant', { const: 5 }, '5', 5],
    ['the type of a referenced schema', { $ref: '#/$defs/size' }, '5', 5],
  ])('is parsed as %s', (_, schema, text, expected) => {
    const root = { ...object({ value: schema }), $defs: { size: { type: 'integer' } } } as JSONSchema7;
    expect(parse(JSON.stringify({ value: text }), root)).toEqual({ value: expected });
  });

  it.each<[string, JSONSchema7, string]>([
    ['that is not a number', { type: 'integer' }, 'three'],
    ['that is not an integer', { type: 'integer' }, '2.5'],
    ['that is a number only in Python', { type: 'integer' }, '1_000'],
    ['that is not a finite number', { type: 'number' }, '1e999'],
    ['with more digits than JavaScript can represent', { type: 'integer' }, '9007199254740993'],
    ['that is not a boolean', { type: 'boolean' }, 'yes'],
    ['that contains commas but is not a list', { type: 'array' }, 'Hello, world'],
    ['that is null for a type that is not nullable', { type: 'integer' }, 'null'],
    ['that is truncated', { type: 'object' }, '{"path": "/tmp/impor'],
    ['that is not a value of the enum', { enum: [1, 2] }, '3'],
  ])('stays a string %s', (_, schema, text) => {
    expect(parse(JSON.stringify({ value: text }), object({ value: schema }))).toEqual({ value: text });
  });
});

describe('a value that the schema allows', () => {
  it.each<[string, JSONSchema7, unknown]>([
    ['a string of digits', { type: 'string' }, '123'],
    ['the string "null" for a nullable string', nullable({ type: 'string' }), 'null'],
    ['a string in a union', { type: ['string', 'integer'] }, '3'],
    ['a string without a type', {}, '3'],
    ['a string of an unknown type', { type: 'varchar' } as unknown as JSONSchema7, '3'],
    ['a string in an undeclared property', true as unknown as JSONSchema7, '[1]'],
    ['a number for a string type', { type: 'string' }, 3],
    [
      'a string that matches the second alternative',
      { anyOf: [object({ id: { type: 'integer' } }), object({ id: { type: 'string' } })] },
      { id: '3' },
    ],
  ])('is unchanged: %s', (_, schema, value) => {
    expect(parse(JSON.stringify({ value }), object({ value: schema }))).toEqual({ value });
  });

  it('does not count as repaired, unlike a converted value', () => {
    const schema = object({ value: { type: 'integer' } });
    expect(parseToolArguments('{"value": 3}', { schema })).toMatchObject({ isRepaired: false });
    expect(parseToolArguments('{"value": "3"}', { schema })).toMatchObject({
      isRepaired: true,
      json: '{"value":3}',
    });
    expect(parseToolArguments('{"other": 3}', { schema })).toMatchObject({ isRepaired: false });
  });
});

describe('arguments with missing brackets', () => {
  const schema = object({ path: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } });

  it('are completed if they satisfy the schema', () => {
    expect(parse('{"path": "a", "tags": ["x"', schema)).toEqual({ path: 'a', tags: ['x'] });
  });

  it.each([
    ['lack a required property', '{"path": "a"'],
    ['have a value of another type', '{"path": true, "tags": []'],
  ])('are rejected if they %s', (_, text) => {
    expect(parse(text, schema)).toBe(`expected complete JSON, got arguments that look truncated: ${text}`);
  });
});

describe('the arguments of a tool without required parameters', () => {
  it.each(['null', '"null"', ' null ', 'None', '""', ''])('are empty if they are written as %j', text => {
    for (const schema of [{}, object({}), { properties: { limit: { type: 'integer' } } } as JSONSchema7])
      expect(parse(text, schema)).toEqual({});
  });

  it('are not null if a parameter is required', () => {
    expect(parse('null', object({ path: { type: 'string' } }))).toBe('expected a JSON object, got null');
  });
});

describe('an invalid schema', () => {
  it.each([
    { properties: null },
    { properties: { value: null } },
    { required: 'value', anyOf: {}, enum: 'x' },
    { $ref: 5 },
    { $ref: '#/no/where' },
    { type: 5 },
    { properties: { value: { type: 'integer', items: 'x', anyOf: [null, 5] } } },
  ])('has no effect: %j', schema => {
    expect(parse('{"value": "x"}', schema as unknown as JSONSchema7)).toEqual({ value: 'x' });
  });

  it('is handled if it contains itself as an alternative', () => {
    const self: JSONSchema7 = { $ref: '#/$defs/self' };
    const schema = {
      ...object({ value: self }),
      $defs: { self: { anyOf: [self, self, { type: 'integer' }] } },
    } as JSONSchema7;
    expect(parse('{"value": "x"}', schema)).toEqual({ value: 'x' });
  });
});
