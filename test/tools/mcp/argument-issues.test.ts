import type { JSONSchema7 } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import { findArgumentIssue } from '../../../src/tools/mcp/argument-issues.js';

const schemaOf = (properties: object, more: object = {}) =>
  ({ type: 'object', properties, ...more }) as JSONSchema7;

const issueOf = (inputSchema: JSONSchema7, input: Record<string, unknown>) =>
  findArgumentIssue({ name: 'paint', inputSchema }, input);

describe('findArgumentIssue', () => {
  const schema = schemaOf(
    {
      color: { enum: ['red', 'green'] },
      'width/mm': { type: 'number' },
      strokes: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
    },
    { required: ['color'], additionalProperties: false },
  );

  it.each<[Record<string, unknown>, string]>([
    [{}, 'the arguments must have required property \'color\'. Expected: {"color":{"enum":["red","green"]}}'],
    [
      { color: 'blue' },
      'color must be equal to one of the allowed values. Expected: {"color":{"enum":["red","green"]}}',
    ],
    [{ color: 'red', 'width/mm': 'x' }, 'width~1mm must be number. Expected: {"width/mm":{"type":"number"}}'],
    [
      { color: 'red', strokes: [{ x: 1.5 }] },
      'strokes/0/x must be integer. Expected: {"strokes":{"type":"array","items":',
    ],
    [
      { color: 'red', size: 1 },
      'the arguments must NOT have additional properties. Known arguments: color, width/mm, strokes.',
    ],
  ])('reports for %j what was expected', (input, text) => {
    expect(issueOf(schema, input)).toContain(`Invalid arguments for tool "paint": ${text}`);
  });

  it('accepts arguments that match', () => {
    expect(issueOf(schema, { color: 'red', 'width/mm': 1, strokes: [{ x: 1 }] })).toBeUndefined();
  });

  it('limits the length of the message', () => {
    const names = Array.from({ length: 500 }, (_, index) => `argument-${index}`);
    const many = schemaOf(Object.fromEntries(names.map(name => [name, { type: 'number' }])), {
      required: names,
    });
    expect(issueOf(many, {})?.length).toBeLessThan(1200);
  });

  it.each<[string, JSONSchema7, Record<string, unknown>]>([
    ['a broken reference', schemaOf({ a: { $ref: '#/$defs/none' } }), { a: 1 }],
    ['an unknown type', schemaOf({ a: { type: 'any' } }), { a: 1 }],
    [
      'names by pattern',
      schemaOf({}, { patternProperties: { '^x': {} }, additionalProperties: false }),
      { x: 1 },
    ],
    ['the limits of draft 4', schemaOf({ a: { minimum: 1, exclusiveMinimum: true } }), { a: 0 }],
    [
      'a tuple of draft 2020-12',
      schemaOf({ a: { prefixItems: [{ type: 'number' }], items: false } }),
      { a: [1] },
    ],
    ['a count of draft 2020-12', schemaOf({ a: { contains: { type: 'null' }, minContains: 0 } }), { a: [1] }],
  ])('leaves the validation to the server if the schema has %s', (_, odd, input) => {
    expect(issueOf(odd, input)).toBeUndefined();
  });

  it('ignores formats without a console warning', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const formats = schemaOf({
      a: { type: 'string', format: 'uri' },
      format: { type: 'string', format: 'odd' },
    });
    expect(issueOf(formats, { a: 'no address', format: 'x' })).toBeUndefined();
    expect(issueOf(formats, { format: 1 })).toContain('format must be string');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('does not run patterns, which may take forever', () => {
    const slow = schemaOf({ a: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'string' } });
    expect(issueOf(slow, { a: `${'a'.repeat(40)}!` })).toBeUndefined();
    expect(issueOf(slow, { pattern: 1 })).toContain('pattern must be string');
  });

  it('keeps the name of an argument called "data"', () => {
    expect(issueOf(schemaOf({ data: { type: 'string' } }), { data: 1 })).toContain(': data must be string.');
  });

  it('reads the draft that a schema declares, and distinguishes two schemas with one id', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const $id = 'https://example.com/arguments';
    const text = schemaOf({ a: { type: 'string' } }, { $schema, $id });
    const number = schemaOf({ a: { type: 'number' } }, { $schema, $id });
    expect([issueOf(text, { a: 'x' }), issueOf(number, { a: 1 })]).toEqual([undefined, undefined]);
    expect(issueOf(text, { a: 1 })).toContain('a must be string');
    expect(issueOf(number, { a: 'x' })).toContain('a must be number');
  });
});
