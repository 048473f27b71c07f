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
  },
};

describe('a form of a schema', () => {
  const fields = toFields(schema);

  it('has one field for each property, with its choices and its default', () => {
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['city', 'text', true],
      ['days', 'number', true],
      ['unit', 'choice', false],
      ['isLong', 'boolean', false],
      ['place', 'json', false],
      ['colour', 'choice', false],
    ]);
    expect(fields[2]).toMatchObject({
      initial: 'c',
      choices: [{ title: 'Celsius' }, { title: 'Fahrenheit' }],
    });
    expect(fields[5]?.choices).toEqual([{ value: 'r', title: 'Red' }]);
    expect(toFields({ type: 'object' })).toEqual([]);
  });

  it('converts the texts to the types of the schema, and leaves out empty optional fields', () => {
    const texts = { city: 'Oslo', days: '3', unit: '', isLong: 'true', place: '{"x":1}' };

    expect(toValue(fields, texts)).toEqual({
      value: { city: 'Oslo', days: 3, isLong: true, place: { x: 1 } },
    });
  });

  it.each<{ texts: Record<string, string>; problem: string }>([
    { texts: { city: 'Oslo' }, problem: 'Expected a value for “days”, which is required.' },
    { texts: { city: 'Oslo', days: 'x' }, problem: 'Expected a number for “days”, got “x”.' },
    { texts: { city: 'Oslo', days: '1', place: '{' }, problem: 'Expected JSON for “place”, got “{”.' },
  ])('reports "$problem"', ({ texts, problem }) => {
    expect(toValue(fields, texts)).toEqual({ problem });
  });
});
