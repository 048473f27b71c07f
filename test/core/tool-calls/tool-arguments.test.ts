import type { JSONSchema7 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { parseToolArguments } from '../../../src/core/tool-calls/tool-arguments.js';
import fc from '../../_property.js';

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

it.each(['{"a": tru}', '{"a": fals}', "{'a': Non}", '{"a": [nul]}', '{"a": 1, "b": Tru}', '``', '`'])(
  'half a constant or half a fence is rejected: %s',
  text => {
    expect(parseToolArguments(text).success).toBe(false);
    expect(parseToolArguments(text, { schema: { type: 'object', properties: {} } }).success).toBe(false);
  },
);

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
    ['a missing bracket after a list', '{"a": ["x", "y"]', { a: ['x', 'y'] }],
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
    ['a line break beside an escaped quote', '{\n"a": "say \\"é\\"\n\u0001"\n}', { a: 'say "é"\n\u0001' }],
    ['a line break after an escaped backslash', '{"a": "one\\\\\ntwo"}', { a: 'one\\\ntwo' }],
    ['a line break after a backslash', '{"a": "one\\\ntwo"}', { a: 'one\ntwo' }],
    ['a line break after half a character', '{"a": "\ud83d\\n\n"}', { a: '\ud83d\n\n' }],
    ['a line break and quotes that are not escaped', '{"a": "say "x"\n", "b": 1}', { a: 'say "x"\n', b: 1 }],
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
    ['an apostrophe between single quotes', "{'a': 'it's', 'b': 'they're'}", { a: "it's", b: "they're" }],
    ['a path with escapes', '{"a": "C:\\dir\\new"}', { a: 'C:\\dir\\new' }],
    ['a path inside a command', '{"a": "type C:\\dir\\new.txt \\n"}', { a: 'type C:\\dir\\new.txt \n' }],
    ['a path of a server', '{"a": "\\\\host\\share\\new"}', { a: '\\\\host\\share\\new' }],
    ['a path that ends with a backslash', '{"a": "C:\\dir\\", "b": 1}', { a: 'C:\\dir\\', b: 1 }],
    ['a word boundary of a pattern', '{"a": "\\bfoo\\s\\$"}', { a: '\\bfoo\\s\\$' }],
    ['line breaks beside a lone backslash', '{"a": "one\\ntwo \\d"}', { a: 'one\ntwo \\d' }],
    ['an escaped dollar sign', '{"a": "cost \\$5"}', { a: 'cost $5' }],
    ['triple quotes', '{"a": """one\n"two"""", "b": 1}'.replace('""""', '"""'), { a: 'one\n"two', b: 1 }],
    ['backticks', '{"a": `one\ntwo`}', { a: 'one\ntwo' }],
    ['comments', '{"a": 1, // one\n "b": /* two */ 2 # end\n}', { a: 1, b: 2 }],
    ['a missing comma', '{"a": "x"\n"b": [1 2]}', { a: 'x', b: [1, 2] }],
    ['a tuple', "{'a': (1, 'x')}", { a: [1, 'x'] }],
    ['numbers of Python, as text', '{"a": +1, "b": .5, "c": 2.}', { a: '+1', b: '.5', c: '2.' }],
    [
      'a word without quotes',
      '{path: ./src/a.ts, url: http://x.y/z}',
      { path: './src/a.ts', url: 'http://x.y/z' },
    ],
    ['unescaped quotes', '{"a": "he said "hi" to me", "b": 1}', { a: 'he said "hi" to me', b: 1 }],
    ['an unescaped quote before a bracket', '{"a": "he said "}" there"}', { a: 'he said "}" there' }],
    ['an object before a semicolon', '{"a": 1};', { a: 1 }],
    ['an object before a closing tag', '{"a": 1}</tool_call>', { a: 1 }],
    ['an object before excess brackets', '{"a": 1}}', { a: 1 }],
    ['an object before prose', '{"a": 1} I hope this helps!', { a: 1 }],
    ['an object between markers', '<tool_call>\n{"a": 1}\n</tool_call><|im_end|>', { a: 1 }],
    ['a missing bracket before a marker', '{"a": 1</tool_call>', { a: 1 }],
    ['prose around a code fence', 'Here it is:\n```json\n{"a": 1}\n```\nDone.', { a: 1 }],
    ['a list of one object', '[{"a": 1}]', { a: 1 }],
    ['an empty object before the arguments', '{}{"a": 1}', { a: 1 }],
    ['two copies on separate lines', '{"a": 1}\n{"a": 1}', { a: 1 }],
    ['a byte order mark and hard spaces', '\ufeff{\u00a0"a":\u00a01}', { a: 1 }],
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
    ['an object in prose', 'Take {"a": 1}'],
    ['quotes with two readings', '{"a": "one "two" ,"b":"three "four","c":"x"}'],
    ['a missing element', '{"a": [1,,2]}'],
    ['a list that is not complete', '{"a": [1, ...]}'],
    ['an unquoted expression', '{"a": foo("x")}'],
  ])('are not parsed from %s', (_, text) => {
    expect(parse(text)).toBe(`expected a JSON object, got ${text}`);
  });

  it.each([
    ['inside a string', '{"path": "/tmp/impor'],
    ['inside a string in single quotes', "{'path': '/tmp/impor"],
    ['inside a string that is escaped twice', '{\\"path\\": \\"/tmp/impor'],
    ['inside a string that is double-encoded', '"{\\"path\\": \\"/tmp/impor'],
    ['after a string that contains unescaped quotes', '{"a": "he said "hi"'],
    ['in a list with three dots', '{"a": [1, ...'],
    ['after a comma, before a marker', '{"a": 1,</tool_call>'],
    ['inside a string, before a marker', '{"a": "x</tool_call>'],
    ['after a complete copy', '{"a": 1}{"a": 1'],
    ['after the opening bracket', '{'],
    ['after an inner bracket', '{"a": ['],
    ['after a key', '{"a": 1, "b"'],
    ['after a key without quotes', '{a: 1, b'],
    ['after a colon', '{"a":'],
    ['after a comma', '{"a": 1,'],
    ['after a comma in a list', '{"a": ["x",'],
    ['after an item of a list', '{"a": ["x", "y"'],
    ['after an object in a list', '{"a": [{"b": 1}'],
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

  it('quotes what surrounds long white space', () => {
    const text = `{"city": "Paris",${' \n'.repeat(10_000)}`;
    expect(parse(text)).toBe(
      'expected complete JSON, got arguments that look truncated: …{"city": "Paris", ',
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

  it.each<[string, (json: string) => string]>([
    ['with single quotes', json => json.replaceAll("'", '').replaceAll('"', "'")],
    ['with raw line breaks', json => json.replaceAll('\\n', '\n').replaceAll('x', '\n')],
    ['with keys without quotes', json => json.replaceAll(/"(\w+)":/g, '$1:')],
    ['with a comment', json => json.replaceAll(',', ', // one\n')],
    ['with an unescaped quote', json => json.replaceAll('x', '"x')],
  ])('contain no part of a value, wherever malformed JSON is cut: %s', (_, damage) => {
    const text = fc.stringMatching(/^[a-z \n]{0,8}$/);
    const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
    const inner = fc.oneof(
      scalar,
      fc.array(scalar),
      fc.dictionary(fc.stringMatching(/^[a-w]{1,5}$/), scalar),
    );
    const value = fc.dictionary(fc.stringMatching(/^[a-w]{1,5}$/), inner);
    fc.assert(
      fc.property(value, fc.nat(), (arguments_, at) => {
        const damaged = damage(JSON.stringify(arguments_));
        const whole = parseToolArguments(damaged);
        const length = at % damaged.length;
        // An unescaped quote at the end looks like the end of its string.
        fc.pre(!damaged.startsWith('"x', length - 1));
        const parsed = parseToolArguments(damaged.slice(0, length));
        if (parsed.success && whole.success) expect(isPartOf(parsed.input, whole.input)).toBe(true);
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

  it.each([
    ['{"id": 9007199254740993, "n": "5"}', '{"id":9007199254740993,"n":5}'],
    [
      '{"id": 9007199254740993, "o": {"id": 1e30, "n": "5", "s": "9007199254740992"}}',
      '{"id":9007199254740993,"o":{"id":1e30,"n":5,"s":"9007199254740992"}}',
    ],
    ['[{"id": 9007199254740993}]', '{"id":9007199254740993}'],
    ['{"arguments": {"id": 9007199254740993}}', '{"id":9007199254740993}'],
    // The same number in JavaScript, so that either one could be meant.
    [
      '{"id": 9007199254740993, "n": "5", "m": 9007199254740992}',
      '{"id":9007199254740992,"n":5,"m":9007199254740992}',
    ],
  ])('keep the digits of %s if other arguments are converted', (text, json) => {
    const integer = { type: 'integer' } as const;
    const inner = { type: 'object', properties: { id: integer, n: integer, s: { type: 'string' } } } as const;
    const schema = { type: 'object', properties: { id: integer, n: integer, o: inner } } as const;
    expect(parseToolArguments(text, { schema })).toMatchObject({ json, isRepaired: true });
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
    ['a list before an excess bracket', { type: 'array', items: { type: 'integer' } }, '[1]] ', [1]],
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

describe('a value that the schema does not allow', () => {
  const mode = { enum: ['fast', 'Slow'] };
  const strings: JSONSchema7 = { type: 'array', items: { type: 'string' } };
  const lists = (items: JSONSchema7): JSONSchema7 => ({ type: 'array', items: { type: 'array', items } });
  const pair: JSONSchema7 = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
  const numberOrList: JSONSchema7 = {
    anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' } }],
  };
  const level: JSONSchema7 = { type: 'string', enum: ['none', 'low'] };

  it.each<[string, JSONSchema7, unknown, unknown]>([
    ['a number as a string', { type: 'string' }, 3, '3'],
    ['the spelling of an enum', mode, ' FAST', 'fast'],
    ['the spelling of a constant', { const: 'Fast' }, 'fast', 'Fast'],
    ['a list of one item', strings, 'x', ['x']],
    [
      'a list of one object',
      { type: 'array', items: object({ id: { type: 'string' } }) },
      { id: 'x' },
      [{ id: 'x' }],
    ],
    ['a list of one number', { type: 'array', items: { type: 'integer' } }, '3', [3]],
    ['a list of one list', lists({ type: 'string' }), ['Ann', '30'], [['Ann', '30']]],
    ['a list of one list of numbers', lists({ type: 'number' }), ['59.9', 10.7], [[59.9, 10.7]]],
    ['a list of one pair', { type: 'array', items: pair }, ['Oslo', 3], [['Oslo', 3]]],
    ['lists that are text', lists({ type: 'string' }), ['["Ann"]', '["30"]'], [['Ann'], ['30']]],
    ['lists of which one lacks its brackets', lists({ type: 'string' }), [['Ann'], '30'], [['Ann'], ['30']]],
    ['items that may be lists', { type: 'array', items: numberOrList }, ['1', '2'], [1, 2]],
    ['a member that is a word for null', { anyOf: [{ type: 'null' }, level] }, 'None', 'none'],
    ['a member beside null', { enum: ['none', null] }, 'None', 'none'],
    ['null in place of a list', nullable(strings), 'None', null],
    ['the item of a list', { type: 'string' }, ['x'], 'x'],
    ['a number with leading zeros', { type: 'integer' }, '007', 7],
  ])('is converted to %s', (_, schema, value, expected) => {
    expect(parse(JSON.stringify({ value }), object({ value: schema }))).toEqual({ value: expected });
  });

  it.each<[string, JSONSchema7, unknown]>([
    ['two items', { type: 'string' }, ['x', 'y']],
    ['several members of an enum in other cases', { enum: ['a', 'A'] }, ' a'],
    ['text that may be a list', strings, 'x, y'],
    ['text that may be a truncated list', strings, '["x'],
    ['a pattern that begins with brackets', strings, '[0-9]*.log'],
    ['prose that begins with brackets', strings, '[bug] crash on start'],
    ['prose after an object', { type: 'object' }, '{"id": 1} (or whatever id fits)'],
    ['a marker after a list', strings, '[bug]</b>'],
    ['a list of unknown items', { type: 'array' }, 'x'],
    ['blank text in place of a list', strings, ' '],
    ['a word for null in place of a list', strings, 'None'],
  ])('is unchanged: %s', (_, schema, value) => {
    expect(parse(JSON.stringify({ value }), object({ value: schema }))).toEqual({ value });
  });

  it('is a number of Python that is read as what the schema wants', () => {
    const text = '{"a": +491701234567, "b": .5, "c": 2.}';
    const all = (type: 'string' | 'number') => object({ a: { type }, b: { type }, c: { type } });
    expect(parse(text, all('string'))).toEqual({ a: '+491701234567', b: '.5', c: '2.' });
    expect(parse(text, all('number'))).toEqual({ a: 491701234567, b: 0.5, c: 2 });
  });

  it('is unchanged if a number has other digits as a string', () => {
    expect(parse('{"value": 1.10}', object({ value: { type: 'string' } }))).toEqual({ value: 1.1 });
  });
});

describe('a whole call in place of the arguments', () => {
  const schema = object({ path: { type: 'string' } });

  it.each([
    '{"arguments": {"path": "a"}}',
    '{"name": "read", "arguments": {"path": "a"}}',
    '{"name": "read", "parameters": "{\\"path\\": \\"a\\"}"}',
    '{"type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}}',
  ])('is unwrapped: %s', text => {
    expect(parse(text, schema)).toEqual({ path: 'a' });
  });

  it('is unwrapped if its name is also that of an argument inside', () => {
    const text = '{"name": "create_user", "arguments": {"name": "Ann"}}';
    expect(parse(text, object({ name: { type: 'string' } }))).toEqual({ name: 'Ann' });
  });

  it.each([
    ['that the schema declares', '{"arguments": {"path": "a"}}', object({ arguments: { type: 'object' } })],
    [
      'with an outer argument',
      '{"id": "42", "input": {"path": "a"}}',
      { type: 'object', properties: { id: { type: 'string' }, path: { type: 'string' } } } as const,
    ],
    [
      'with an outer argument and none inside',
      '{"id": "42", "args": {}}',
      { type: 'object', properties: { id: { type: 'string' } } } as const,
    ],
    ['with other arguments', '{"arguments": {"path": "a"}, "path": "b"}', schema],
    ['with unknown arguments', '{"arguments": {"file": "a"}}', schema],
    ['without a schema of properties', '{"arguments": {"path": "a"}}', { type: 'object' } as const],
  ])('is unchanged %s', (_, text, known) => {
    expect(parse(text, known)).toEqual(JSON.parse(text));
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
    ['a boolean for a string type', { type: 'string' }, true],
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
    expect(parse('{"path": "a", "tags": ["x"]', schema)).toEqual({ path: 'a', tags: ['x'] });
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
