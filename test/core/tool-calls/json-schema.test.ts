import { describe, expect, it } from 'vitest';
import {
  alternativesOf,
  branchesOf,
  itemSchema,
  mapSchema,
  propertySchema,
  resolveSchema,
  subschemasOf,
} from '../../../src/core/tool-calls/json-schema.js';

describe('subschemasOf', () => {
  it('lists schemas of every keyword with their path', () => {
    const schema = {
      properties: { items: { type: 'string' } },
      patternProperties: { '^x-': true },
      additionalProperties: false,
      prefixItems: [{ type: 'null' }],
      anyOf: [{ $ref: '#/$defs/a' }],
      not: { const: 1 },
      if: { minLength: 1 },
      then: { maxLength: 2 },
      $defs: { a: { type: 'number' } },
    };
    expect(subschemasOf(schema).map(({ path }) => path.join('/'))).toEqual([
      'properties/items',
      'patternProperties/^x-',
      '$defs/a',
      'prefixItems/0',
      'anyOf/0',
      'additionalProperties',
      'not',
      'if',
      'then',
    ]);
  });

  it('does not visit plain data', () => {
    const data = { type: 'string' };
    expect(subschemasOf({ const: data, default: data, enum: [data], examples: [data] })).toEqual([]);
  });

  it.each([undefined, null, true, 'text', []])('finds nothing in %j', value => {
    expect(subschemasOf(value)).toEqual([]);
  });

  it('ignores lists of names in `dependencies`', () => {
    expect(subschemasOf({ dependencies: { a: ['b'], c: { type: 'object' } } })).toEqual([
      { path: ['dependencies', 'c'], schema: { type: 'object' } },
    ]);
  });
});

describe('mapSchema', () => {
  const open = (schema: object): object =>
    mapSchema(schema, ({ additionalProperties, ...rest }) =>
      additionalProperties === false
        ? rest
        : { ...rest, ...(additionalProperties !== undefined && { additionalProperties }) },
    );

  it('rewrites nested schemas of objects, lists and definitions', () => {
    const closed = { type: 'object', additionalProperties: false };
    const schema = {
      properties: { additionalProperties: closed, list: { items: [closed, true] } },
      anyOf: [closed],
      $defs: { a: closed },
    };
    const opened = { type: 'object' };
    expect(open(schema)).toEqual({
      properties: { additionalProperties: opened, list: { items: [opened, true] } },
      anyOf: [opened],
      $defs: { a: opened },
    });
    expect(schema.anyOf[0]).toBe(closed);
  });

  it('returns the same object if nothing changes', () => {
    const schema = { properties: { a: { anyOf: [{ type: 'string' }] } }, $defs: { b: {} } };
    expect(mapSchema(schema, inner => inner)).toBe(schema);
  });

  it('rewrites inner schemas before outer ones', () => {
    const order: unknown[] = [];
    mapSchema({ title: 'outer', properties: { a: { title: 'inner' } } }, schema => {
      order.push(schema.title);
      return schema;
    });
    expect(order).toEqual(['inner', 'outer']);
  });
});

describe('resolveSchema', () => {
  const root = {
    $defs: {
      city: { type: 'string' },
      alias: { $ref: '#/$defs/city' },
      loop: { $ref: '#/$defs/other' },
      other: { $ref: '#/$defs/loop' },
      'a/b': { title: 'slash' },
      'My Type': { title: 'space' },
    },
  };

  it.each([
    ['#/$defs/city', { type: 'string' }],
    ['#/$defs/alias', { type: 'string' }],
    ['#/$defs/a~1b', { title: 'slash' }],
    ['#/$defs/My%20Type', { title: 'space' }],
    ['#', root],
    ['#/$defs/missing', {}],
    ['#/$defs/toString', {}],
    ['#/$defs/%', {}],
    ['#/$defs/loop', {}],
    ['#anchor', {}],
  ])('resolves %s', ($ref, expected) => {
    expect(resolveSchema({ $ref }, root)).toEqual(expected);
  });

  it('returns schemas without a local reference unchanged', () => {
    const external = { $ref: 'https://example.com/schema.json' };
    expect(resolveSchema(external, root)).toBe(external);
    expect(resolveSchema(root, root)).toBe(root);
    expect(resolveSchema(true, root)).toEqual({});
  });
});

describe('readers', () => {
  it('collect alternatives and branches', () => {
    const schema = { anyOf: [{ title: 'a' }], oneOf: [true, 'no schema'], allOf: [{ title: 'c' }] };
    expect(alternativesOf(schema)).toEqual([{ title: 'a' }, true]);
    expect(branchesOf(schema)).toEqual([{ title: 'a' }, true, { title: 'c' }]);
  });

  it('find the schema of a property', () => {
    const schema = { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } };
    expect(propertySchema(schema, 'a')).toEqual({ type: 'string' });
    expect(propertySchema(schema, 'b')).toEqual({ type: 'number' });
    expect(propertySchema({ ...schema, patternProperties: {} }, 'b')).toBe(true);
    expect(propertySchema({}, 'toString')).toBe(true);
  });

  it('find the schema of an item', () => {
    const [first, rest] = [{ type: 'string' }, { type: 'number' }];
    expect(itemSchema({ items: rest }, 3)).toBe(rest);
    expect(itemSchema({ items: [first] }, 0)).toBe(first);
    expect(itemSchema({ items: [first] }, 1)).toBe(true);
    expect(itemSchema({ prefixItems: [first], items: rest }, 0)).toBe(first);
  });
});
