import { describe, expect, it } from 'vitest';
import { toProperties } from '../../src/text-tools/schema-types.js';

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
