import { describe, expect, it } from 'vitest';
import { toFields, toValue } from '../../../playground/web/lib/schema-form.js';

const schema = {
  type: 'object',
  required: ['city', 'days'],
  properties: {
    city: { type: 'string', title: 'City', description: 'A place.' },
    days: { type: 'integer' },
    unit: { enum: ['c', 'f'], enumNames: ['Celsius', 'Fahrenheit'], default: 'c' },
    isLong: { type: 'boolean' },
    place: { type: 'object' },
    colour: { oneOf: [{ const: 'r', title: 'Red' }] },
    sizes: { type: 'array', items: { enum: ['s', 'm'] }, default: ['m'] },
    tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: 'broken' },
    limit: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
    note: { type: ['string', 'null'] },
  },
};

describe('a form of a schema', () => {
  const fields = toFields(schema);

  it('has one field for each property, with its choices and its default', () => {
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['city', 'text', true],
      ['days', 'integer', true],
      ['unit', 'choice', false],
      ['isLong', 'boolean', false],
      ['place', 'json', false],
      ['colour', 'choice', false],
      ['sizes', 'choices', false],
      ['tags', 'choices', false],
      ['limit', 'number', false],
      ['note', 'text', false],
    ]);
    expect(fields[2]).toMatchObject({
      initial: 'c',
      choices: [{ title: 'Celsius' }, { title: 'Fahrenheit' }],
    });
    expect(fields[5]?.choices).toEqual([{ value: 'r', title: 'Red' }]);
    expect(fields.slice(6).map(({ initial, choices }) => [initial, choices.length])).toEqual([
      ['["m"]', 2],
      ['', 1],
      ['', 0],
      ['', 0],
    ]);
    expect(toFields({ type: 'object' })).toEqual([]);
  });

  it('converts the texts to the types of the schema, and leaves out empty optional fields', () => {
    const texts = {
      city: 'Oslo',
      days: '3',
      unit: '',
      isLong: 'true',
      place: '{"x":1}',
      sizes: '["s"]',
      limit: '1.5',
    };

    expect(toValue(fields, texts)).toEqual({
      value: { city: 'Oslo', days: 3, isLong: true, place: { x: 1 }, sizes: ['s'], limit: 1.5 },
    });
  });

  it.each<{ texts: Record<string, string>; problem: string }>([
    { texts: { city: 'Oslo' }, problem: 'Expected a value for “days”, which is required.' },
    { texts: { city: 'Oslo', days: 'x' }, problem: 'Expected an integer for “days”, got “x”.' },
    { texts: { city: 'Oslo', days: '1.5' }, problem: 'Expected an integer for “days”, got “1.5”.' },
    { texts: { city: 'Oslo', days: '1', limit: ' ' }, problem: 'Expected a number for “limit”, got “ ”.' },
    { texts: { city: 'Oslo', days: '1', place: '{' }, problem: 'Expected JSON for “place”, got “{”.' },
  ])('reports "$problem"', ({ texts, problem }) => {
    expect(toValue(fields, texts)).toEqual({ problem });
  });
});
