import { describe, expect, it } from 'vitest';
import { toTypedJson } from '../../../src/adapters/text-tools/values/json-value.js';
import { toValueTypes } from '../../../src/adapters/text-tools/values/schema-types.js';

const nullable = (type: string) => ({ anyOf: [{ type }, { type: 'null' }] });
const nested = { anyOf: [{ oneOf: [{ type: 'null' }, { anyOf: [{ type: 'array' }] }] }] };
const root = { $defs: { size: { type: 'integer' }, self: { $ref: '#/$defs/self' } } };

const read = (schema: unknown, text: string) => toTypedJson(text, toValueTypes(schema, root));

describe('a value that fits its type is converted', () => {
  it.each([
    [{ type: 'integer' }, ' -42 ', '-42'],
    [{ type: 'integer' }, '9007199254740993', '9007199254740993'],
    [{ type: 'uint64' }, '18446744073709551615', '18446744073709551615'],
    [{ type: 'number' }, '1.5e3', '1.5e3'],
    [{ type: 'float' }, '3.0', '3.0'],
    [{ type: 'boolean' }, 'True', 'true'],
    [{ type: 'object' }, '{"a": [1]}', '{"a": [1]}'],
    [
      { type: 'dict' },
      "{'a': True, 'b': (None, -1.5), 'c': 'it\\'s \\u00e9'}",
      '{"a":true,"b":[null,-1.5],"c":"it\'s é"}',
    ],
    [{ type: 'object' }, '"{\'a\': 1}"', '{"a":1}'],
    [{ type: 'array' }, String.raw`["C:\apps\0"]`, String.raw`["C:\\apps\\0"]`],
    [{ type: 'object' }, '"{\\"a\\": 1}"', '{"a": 1}'],
    [{ type: 'array' }, '[\'a\', "b",]', '["a","b"]'],
    [{ properties: { a: {} } }, '{"a": 1}', '{"a": 1}'],
    [{ items: {} }, '[1]', '[1]'],
    [{ $ref: '#/$defs/size' }, '3', '3'],
    [nullable('integer'), '42', '42'],
    [nullable('integer'), 'None', 'null'],
    [nullable('string'), 'null', 'null'],
    [{ type: ['string', 'null'] }, 'null', 'null'],
    [nested, '[true, null, {"enabled": false}]', '[true, null, {"enabled": false}]'],
    [nested, 'null', 'null'],
    [{ type: ['integer', 'string'] }, '12', '12'],
  ])('%j converts %j to %s', (schema, text, json) => {
    expect(read(schema, text)).toBe(json);
  });
});

describe('a value that does not fit stays a string', () => {
  it.each([
    [{ type: 'string' }, 'null'],
    [{ type: 'string' }, '42'],
    [{ type: 'varchar' }, 'true'],
    [{ enum: ['a', 'b'] }, '1'],
    [nullable('string'), '42'],
    [{ type: ['string', 'object'] }, '{"q": 1'],
    [{ type: ['number', 'string'] }, '12 knots'],
    [{ type: 'integer' }, '3.0'],
    [{ type: 'integer' }, '1_000'],
    [{ type: 'integer' }, '007'],
    [{ type: 'number' }, 'nan'],
    [{ type: 'number' }, '1e999'],
    [{ type: 'boolean' }, 'yes'],
    [{ type: 'object' }, '[1]'],
    [{ type: 'object' }, '{"a": 1'],
    [{ type: 'object' }, "{'x': 1e999}"],
    [{ type: 'object' }, "{'__proto__': 1}"],
    [{ type: 'object' }, '{"__proto__": {}}'],
    [{ type: 'object' }, "{'a': __import__('os')}"],
    [{ type: 'array' }, '[1e999]'],
    [{ type: 'array' }, '[NaN]'],
    [{ type: 'array' }, '[1, inf]'],
    [undefined, '{"a": 1}'],
    [{}, '12'],
    [{ $ref: '#/$defs/self' }, '12'],
    [{ $ref: '#/$defs/none' }, '12'],
  ])('%j keeps %j', (schema, text) => {
    expect(read(schema, text)).toBe(JSON.stringify(text));
  });
});
