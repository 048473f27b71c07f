import { describe, expect, it } from 'vitest';
import { findVariant, toInitial, toNode } from '../../../playground/web/mcp/form-schema.js';
import { readJson } from '../../../playground/web/ui/json-text.js';

const schema = {
  type: 'object',
  required: ['city', 'days', 'kind'],
  $defs: {
    place: { type: 'object', properties: { street: { type: 'string' }, inner: { $ref: '#/$defs/place' } } },
  },
  properties: {
    city: { type: 'string', title: 'City', description: 'A place.' },
    days: { type: 'integer' },
    unit: { enum: ['c', 'f'], enumNames: ['Celsius', 'Fahrenheit'], default: 'c' },
    isLong: { type: 'boolean' },
    place: { $ref: '#/$defs/place' },
    free: { type: 'object' },
    colour: { oneOf: [{ const: 'r', title: 'Red' }] },
    sizes: { type: 'array', items: { enum: ['s', 'm'] }, default: ['m'] },
    tags: { type: 'array', items: { type: 'string' } },
    limit: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
    note: { type: ['string', 'null'] },
    day: { type: 'string', format: 'date' },
    kind: { const: 'order' },
    pay: {
      oneOf: [
        { title: 'Card', type: 'object', properties: { by: { const: 'card' }, number: { type: 'string' } } },
        { type: 'object', properties: { by: { const: 'cash' } } },
        { type: 'string' },
      ],
    },
    pair: { type: 'array', prefixItems: [{}, {}] },
  },
};

describe('a form of a schema', () => {
  const node = toNode(schema, schema);
  const fields = node.kind === 'object' ? node.fields : [];

  it('has a control for each property, also for nested ones, and JSON for the rest', () => {
    const kinds = fields.map(({ name, schema: property }) => [name, toNode(property, schema, 1).kind]);
    expect(Object.fromEntries(kinds)).toEqual({
      city: 'text',
      days: 'number',
      unit: 'choice',
      isLong: 'boolean',
      place: 'object',
      free: 'json',
      colour: 'choice',
      sizes: 'choices',
      tags: 'array',
      limit: 'number',
      note: 'text',
      day: 'date',
      kind: 'constant',
      pay: 'union',
      pair: 'json',
    });
    expect(fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual([
      'city',
      'days',
      'kind',
    ]);
  });

  it('begins with defaults and required constants', () => {
    expect(toInitial(schema, schema)).toEqual({ unit: 'c', sizes: ['m'], kind: 'order' });
    expect(toInitial({ type: 'object' }, {})).toEqual({});
  });

  it('ends at a depth and at a number of fields, and reads schemas that refer to themselves', () => {
    expect(toNode({ $ref: '#/$defs/place' }, schema, 6).kind).toBe('json');
    expect(toNode({ $ref: '#' }, { $ref: '#' }).kind).toBe('json');
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, {}]));
    expect(toNode({ type: 'object', properties }, {}).kind).toBe('json');
  });

  it('names the variants of a union, and finds the one of a value', () => {
    const pay = toNode(schema.properties.pay, schema, 1);
    const variants = pay.kind === 'union' ? pay.variants : [];
    expect(variants.map(({ title }) => title)).toEqual(['Card', 'cash', 'string']);
    expect([{ by: 'card' }, { by: 'cash' }, 'x'].map(value => findVariant(variants, value, schema))).toEqual([
      0, 1, 2,
    ]);
  });
});

describe('JSON that a person types', () => {
  it.each([
    ['{"a": 1,\n  "b": }', 'Line 2, column 8'],
    ['{\n"a" 1}', 'Line 2, column 5'],
    ['{"a": 1', 'Line 1, column 8'],
    ['', 'Line 1, column 1'],
  ])('%j has its error at %s', (text, place) => {
    expect(readJson(text).problem).toContain(place);
  });
});
