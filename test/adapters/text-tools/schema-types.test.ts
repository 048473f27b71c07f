import { describe, expect, it } from 'vitest';
import { toNamedTypes } from '../../../src/adapters/text-tools/values/schema-types.js';
import { toProperties } from '../../../src/core/tool-calls/json-schema.js';

const properties = { days: { type: 'integer' } };

describe('the properties of arguments', () => {
  it.each([
    ['the schema itself', { type: 'object', properties }],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { properties } } }],
    ['the alternatives', { anyOf: [{ type: 'object', properties }, { type: 'null' }] }],
    [
      'references of alternatives',
      { oneOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ properties }] } } },
    ],
  ])('are found in %s', (_, schema) => {
    expect(toProperties(schema)).toEqual(properties);
  });

  it.each([
    [undefined],
    [true],
    [{}],
    [{ type: 'object', properties: {} }],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
    [{ $ref: '#' }],
    [{ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }],
  ])('are not restricted by %j', schema => {
    expect(toProperties(schema)).toBeUndefined();
  });
});

it.each([
  [{ enum: [1, 2] }, ['integer']],
  [{ enum: [0.5, 1, 'auto'] }, ['number', 'integer', 'text']],
  [{ enum: ['a', null] }, ['null', 'text']],
  [{ const: true }, ['boolean']],
  [{ type: 'string', enum: ['1'] }, ['text']],
])('the values of %j determine its types', (schema, types) => {
  expect(toNamedTypes(schema, schema)).toEqual(types);
});

it('types follow a schema that changes in place', () => {
  const schema: Record<string, unknown> = { anyOf: [{ type: 'integer' }] };
  expect(toNamedTypes(schema, schema)).toEqual(['integer']);
  schema.anyOf = [{ type: 'boolean' }];
  expect(toNamedTypes(schema, schema)).toEqual(['boolean']);
});
