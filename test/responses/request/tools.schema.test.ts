import { expect, it } from 'vitest';
import { normalizeSchema } from '../../../src/responses/request/tools.js';

const empty = { type: 'object', properties: {} };

it.each([
  ['an empty schema', {}, empty],
  ['a missing schema', undefined, empty],
  ['null', null, empty],
  ['true', true, empty],
  ['a list', [], empty],
  ['a null type', { type: null }, empty],
  ['a type other than object', { type: 'string' }, empty],
  ['an object without properties', { type: 'object' }, empty],
  ['`$schema`', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, empty],
  [
    'a list of types',
    { type: ['object', 'null'], properties: { a: {} } },
    { ...empty, properties: { a: {} } },
  ],
  ['properties without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
  [
    'an invalid type with properties',
    { type: 'None', properties: { a: {} } },
    { ...empty, properties: { a: {} } },
  ],
])('converts %s to an object schema', (_, schema, expected) => {
  expect(normalizeSchema(schema)).toEqual(expected);
});

it('changes nothing else', () => {
  const schema = {
    type: 'object',
    properties: { uri: { type: 'string', format: 'uri', $schema: 'inner' } },
    required: ['uri'],
    additionalProperties: false,
    $defs: { x: { type: 'null' } },
  };
  expect(normalizeSchema(schema)).toEqual(schema);
});
