import { describe, expect, it } from 'vitest';
import { findFormIssues } from '../../../src/tools/mcp/index.js';

const formOf = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('findFormIssues', () => {
  const form = formOf(
    {
      name: { type: 'string', minLength: 2, pattern: '^[^0-9]*$' },
      email: { type: 'string', format: 'email' },
      day: { type: 'string', format: 'date' },
      seats: { type: 'integer', minimum: 1, maximum: 9 },
      class: { type: 'string', oneOf: [{ const: 'first', title: 'First class' }, { const: 'second' }] },
      extras: { type: 'array', maxItems: 2, items: { type: 'string', enum: ['meal', 'bike', 'lounge'] } },
      insured: { type: 'boolean' },
    },
    { required: ['name'] },
  );

  it.each([
    { name: 'Ada' },
    { name: 'Ada', email: 'ada@example.com', day: '2026-12-24', seats: 9, class: 'first', insured: false },
    { name: 'Ada', extras: ['meal', 'bike'] },
  ])('accepts %j', async content => {
    expect(await findFormIssues(form, content)).toEqual([]);
  });

  it.each<[unknown, string | undefined, string]>([
    [{}, undefined, 'required property "name"'],
    [{ name: 'A' }, 'name', 'too short'],
    [{ name: 'Ada 2' }, 'name', '"pattern"'],
    [{ name: 'Ada', email: 'ada' }, 'email', 'format "email"'],
    [{ name: 'Ada', day: 'tomorrow' }, 'day', 'format "date"'],
    [{ name: 'Ada', seats: 10 }, 'seats', '10 is greater than 9'],
    [{ name: 'Ada', seats: '2' }, 'seats', 'type "string" is invalid'],
    [{ name: 'Ada', class: 'third' }, 'class', 'does not match'],
    [{ name: 'Ada', extras: ['meal', 'dog'] }, 'extras', 'does not match any of'],
    [{ name: 'Ada', insured: 'yes' }, 'insured', 'type "string" is invalid'],
    // The server has not asked for it.
    [{ name: 'Ada', role: 'admin' }, undefined, '"role"'],
    [undefined, undefined, 'required property "name"'],
    [null, undefined, 'is invalid'],
    [[], undefined, 'is invalid'],
    ['name', undefined, 'is invalid'],
  ])('names the field of %j', async (content, field, message) => {
    expect(await findFormIssues(form, content)).toContainEqual({
      ...(field !== undefined && { field }),
      message: expect.stringContaining(message),
    });
  });

  it.each([
    formOf({ name: { $ref: '#/$defs/missing' } }),
    formOf({}, { patternProperties: { '(a)\\1': {} } }),
  ])('accepts no answer to a form that it cannot read', async unreadable => {
    expect(await findFormIssues(unreadable, { name: 'Ada' })).toEqual([
      { message: expect.stringContaining('cannot be read') },
    ]);
  });
});
