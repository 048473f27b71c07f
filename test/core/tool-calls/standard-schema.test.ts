import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { describe, expect, it } from 'vitest';
import { toStandardSchema } from '../../../src/core/tool-calls/standard-schema.js';

type Schema = Readonly<Record<string, unknown>>;

const inProperty = (inner: unknown): Schema => ({ type: 'object', properties: { a: inner } });
const isValid = (schema: Schema, value: unknown): boolean =>
  new CfWorkerJsonSchemaValidator().getValidator(schema as never)(value).valid;

describe('a schema of an older draft or another language', () => {
  const rows: [name: string, before: unknown, after: unknown, allowed: unknown[]][] = [
    ['an array without items', { type: 'array' }, { type: 'array', items: {} }, [[1, 'a']]],
    [
      'a list of types with an array',
      { type: ['array', 'null'] },
      { type: ['array', 'null'], items: {} },
      [[1], null],
    ],
    [
      'a tuple',
      { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] },
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: {} },
      [['a', 1, null]],
    ],
    [
      'a closed tuple',
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      [['a']],
    ],
    ['an empty tuple', { type: 'array', items: [] }, { type: 'array', items: {} }, [[], [1]]],
    ['a boolean limit', { minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }, [4]],
    ['an inclusive limit', { maximum: 3, exclusiveMaximum: false }, { maximum: 3 }, [3]],
    ['a boolean limit of nothing', { type: 'number', exclusiveMinimum: true }, { type: 'number' }, [1]],
    ['a type name', 'string', { type: 'string' }, ['x']],
    ['several type names', ['string', 'null'], { type: ['string', 'null'] }, ['x', null]],
    ['null', null, {}, [1]],
    ['types of other languages', { type: 'INT' }, { type: 'integer' }, [1]],
    ['any type', { type: 'any' }, {}, [1, 'x', []]],
    ['the name of a prototype member as a type', { type: 'constructor' }, {}, [1]],
    ['a type twice', { type: ['string', 'string'] }, { type: ['string'] }, ['x']],
    ['no types', { type: [] }, {}, ['x']],
    [
      'alternatives that are one schema',
      { anyOf: { type: 'string' } },
      { anyOf: [{ type: 'string' }] },
      ['x'],
    ],
    ['no alternatives', { anyOf: [] }, {}, ['x']],
    ['lengths as text', { minLength: '1', maxLength: -1 }, { minLength: 1 }, ['x']],
    ['an enum that is no list', { type: 'string', enum: null }, { type: 'string' }, ['x']],
    [
      'a description of several lines',
      { description: ['One.', 'Two.'] },
      { description: 'One. Two.' },
      ['x'],
    ],
    ['items that are null', { type: 'array', items: null }, { type: 'array', items: {} }, [[1]]],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }, ['x', null]],
    [
      'nullable with an enum',
      { type: 'string', enum: ['x'], nullable: true },
      { type: ['string', 'null'], enum: ['x', null] },
      ['x', null],
    ],
    [
      'a nullable reference',
      { $ref: '#', nullable: true },
      { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      [null, {}],
    ],
    ['a negation of what is unknown', { not: { type: 'file' } }, {}, ['x']],
    ['a condition of what is unknown', { if: { type: 'file' }, then: false }, { then: false }, ['x']],
    [
      'exclusive alternatives of which one is unknown',
      { oneOf: [{ type: 'string' }, { type: 'file' }] },
      { anyOf: [{ type: 'string' }, {}] },
      ['x', 1],
    ],
  ];

  it.each(rows)('is converted: %s', (_name, before, after, allowed) => {
    const schema = toStandardSchema(inProperty(before));
    expect(schema).toEqual(inProperty(after));
    for (const value of allowed) expect(isValid(schema, { a: value })).toBe(true);
  });

  it('moves required properties to the list of their object', () => {
    const schema = { properties: { a: { required: true }, b: { required: false } }, required: ['c', 'c'] };
    expect(toStandardSchema(schema)).toEqual({ properties: { a: {}, b: {} }, required: ['c', 'a'] });
    expect(toStandardSchema({ required: 'a' })).toEqual({ required: ['a'] });
    expect(toStandardSchema({ required: null })).toEqual({});
  });

  it('moves references into tuples', () => {
    const list = { type: 'array', items: [{ type: 'string' }] };
    const schema = { properties: { list, first: { $ref: '#/properties/list/items/0' } } };
    const { properties } = toStandardSchema(schema) as { properties: { first: unknown } };
    expect(properties.first).toEqual({ $ref: '#/properties/list/prefixItems/0' });
  });

  it('converts a schema that is used twice, with each of its uses', () => {
    const file = { type: 'file' };
    const schema = { properties: { a: file, b: { not: file } } };
    expect(toStandardSchema(schema)).toEqual({ properties: { a: {}, b: {} } });
  });

  it('replaces a schema that contains itself', () => {
    const node: Record<string, unknown> = { type: 'object' };
    node.properties = { next: node };
    let count = 0;
    expect(toStandardSchema(node, () => count++)).toEqual({ type: 'object', properties: { next: {} } });
    expect(count).toBe(1);
  });

  it('keeps names that are members of prototypes', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"str"},"constructor":{"type":"str"}}}',
    ) as Schema;
    expect(JSON.stringify(toStandardSchema(schema))).toBe(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
  });
});

it.each([
  { type: 'object', properties: { a: true, b: false, c: {} }, required: ['a'], additionalProperties: false },
  { oneOf: [{ const: null }, { enum: ['x', 1, null] }], discriminator: { propertyName: 'k' } },
  { dependencies: { a: ['b'] }, dependentRequired: { a: ['b'] }, if: {}, then: true, else: false },
  { type: ['array', 'null'], prefixItems: [true], items: false, minItems: 1, uniqueItems: true },
  { $ref: '#/$defs/a', $defs: { a: { $anchor: 'b', type: 'number', multipleOf: 0.1, exclusiveMinimum: 0 } } },
  { type: 'string', nullable: false, pattern: '^a', format: 'uri', examples: [1], default: 'x' },
])('returns a valid schema as it is: %j', schema => void expect(toStandardSchema(schema)).toBe(schema));
