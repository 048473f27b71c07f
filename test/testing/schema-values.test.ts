import { describe, expect, it } from 'vitest';
import { createValuePool, fillSchema } from '../../src/testing/model/tool-calls.js';

const fill = (schema: Record<string, unknown>, message: string) =>
  fillSchema(schema, { pool: createValuePool(message) });

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

describe('fillSchema', () => {
  it('takes numbers in the order of the message, within their limits', () => {
    const schema = object({
      a: { type: 'integer' },
      b: { type: 'number' },
      c: { type: 'integer', maximum: 10 },
      d: { type: 'number', minimum: 5 },
    });
    expect(fill(schema, 'from -3 to 2.5, at most 99')).toEqual({ a: -3, b: 2.5, c: 10, d: 5 });
  });

  it('prefers quoted strings, then names, then the message', () => {
    const schema = object({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } });
    const message = `what's 'one thing' in San José`;
    expect(fill(schema, message)).toEqual({ a: 'one thing', b: 'San José', c: message });
  });

  it('recognizes links, mails, dates and paths by their property', () => {
    const schema = object({
      url: { type: 'string' },
      to: { type: 'string', format: 'email' },
      date: { type: 'string' },
      file_path: { type: 'string' },
    });
    expect(fill(schema, 'Post ./a/b.txt to https://x.org/y?z=1, mail a@b.co on 2025-01-02')).toEqual({
      url: 'https://x.org/y?z=1',
      to: 'a@b.co',
      date: '2025-01-02',
      file_path: './a/b.txt',
    });
  });

  it('takes a sum as an expression', () => {
    const schema = object({ expression: { type: 'string' } });
    expect(fill(schema, 'What is 2 * (3 + 4)?')).toEqual({ expression: '2 * (3 + 4)' });
  });

  it('chooses the option that is mentioned, else the first', () => {
    const schema = object({ unit: { enum: ['celsius', 'fahrenheit'] }, mode: { enum: ['fast', 'slow'] } });
    expect(fill(schema, 'in Fahrenheit please')).toEqual({ unit: 'fahrenheit', mode: 'fast' });
  });

  it('reads "no" and "without" as false', () => {
    const schema = object({
      dryRun: { type: 'boolean' },
      verbose: { type: 'boolean' },
      all: { type: 'boolean', default: false },
    });
    expect(fill(schema, 'start without dry run')).toEqual({ dryRun: false, verbose: true, all: false });
  });

  it('omits optional properties', () => {
    expect(fill({ type: 'object', properties: { a: { type: 'string' } } }, 'hello')).toEqual({});
  });

  it('collects the numbers and quoted strings of a list', () => {
    const numbers = { type: 'array', items: { type: 'number' } };
    const words = { type: 'array', items: { type: 'string' }, maxItems: 2 };
    expect(fill(object({ numbers, words }), 'sum 1, 2 and 3 of "a", "b", "c"')).toEqual({
      numbers: [1, 2, 3],
      words: ['a', 'b'],
    });
    expect(fill({ type: 'array', items: object({ n: { type: 'number' } }), minItems: 2 }, '7')).toEqual([
      { n: 7 },
      { n: 1 },
    ]);
  });

  it('follows references, alternatives and combinations', () => {
    const schema = {
      ...object({
        city: { $ref: '#/$defs/city' },
        note: { anyOf: [{ type: 'null' }, { type: 'string' }] },
        both: { allOf: [object({ x: { type: 'number' } }), object({ y: { type: 'number' } })] },
        kind: { const: 'trip' },
        limit: { type: ['null', 'integer'] },
      }),
      $defs: { city: { type: 'string' } },
    };
    expect(fill(schema, 'to Rome, "soon", 1 2 3')).toEqual({
      city: 'soon',
      note: 'Rome',
      both: { x: 1, y: 2 },
      kind: 'trip',
      limit: 3,
    });
  });

  it('terminates for a schema that requires itself', () => {
    const schema = { ...object({ next: { $ref: '#' } }) };
    expect(JSON.stringify(fill(schema, 'x'))).toContain('null');
  });
});
