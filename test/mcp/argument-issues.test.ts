import type { JSONSchema7 } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import { findArgumentIssue } from '../../src/mcp/features/argument-issues.js';

const schemaOf = (properties: object, more: object = {}) =>
  ({ type: 'object', properties, ...more }) as JSONSchema7;

const draft4 = 'http://json-schema.org/draft-04/schema#';

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
    [
      {},
      'the arguments: does not have required property "color". Expected: {"color":{"enum":["red","green"]}}',
    ],
    [
      { color: 'blue' },
      'color: does not match any of ["red","green"]. Expected: {"color":{"enum":["red","green"]}}',
    ],
    [
      { color: 'red', 'width/mm': 'x' },
      'width/mm: type "string" is invalid. Expected "number". Expected: {"width/mm":{"type":"number"}}',
    ],
    [
      { color: 'red', strokes: [{ x: 1.5 }] },
      'strokes/0/x: type "number" is invalid. Expected "integer". Expected: {"strokes":{"type":"array","items":',
    ],
    [
      { color: 'red', size: 1 },
      'the arguments: Property "size" does not match additional properties schema. ' +
        'Known arguments: color, width/mm, strokes.',
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
    ['a reference to another document', schemaOf({ a: { $ref: 'https://example.com/a.json' } }), { a: 1 }],
    ['a schema that refers only to itself', schemaOf({}, { $ref: '#' }), { a: 1 }],
    ['an unknown type', schemaOf({ a: { type: 'any' } }), { a: 1 }],
    [
      'names by pattern',
      schemaOf({}, { patternProperties: { '^x': {} }, additionalProperties: false }),
      { x: 1 },
    ],
    ['the limits of draft 4', schemaOf({ a: { minimum: 1, exclusiveMinimum: true } }), { a: 1 }],
    ['a draft that is not supported', schemaOf({ a: { type: 'string' } }, { $schema: draft4 }), { a: 1 }],
  ])('leaves the validation to the server if the schema has %s', (_, odd, input) => {
    expect(issueOf(odd, input)).toBeUndefined();
  });

  it.each<[string, JSONSchema7, Record<string, unknown>, Record<string, unknown>]>([
    [
      'a tuple',
      schemaOf({ a: { prefixItems: [{ type: 'number' }], items: false } }),
      { a: [1] },
      { a: ['x'] },
    ],
    [
      'a count',
      schemaOf({ a: { contains: { type: 'null' }, minContains: 0, maxContains: 1 } }),
      { a: [1] },
      { a: [null, null] },
    ],
    [
      'an anchor',
      schemaOf({ a: { $ref: '#city' } }, { $defs: { city: { $anchor: 'city', type: 'string' } } }),
      { a: 'Rome' },
      { a: 1 },
    ],
    [
      'composition',
      schemaOf({}, { allOf: [{ properties: { a: { type: 'number' } } }], unevaluatedProperties: false }),
      { a: 1 },
      { b: 1 },
    ],
  ])('validates %s of draft 2020-12', (_, schema, valid, invalid) => {
    expect(issueOf(schema, valid)).toBeUndefined();
    expect(issueOf(schema, invalid)).toContain('Invalid arguments for tool "paint"');
  });

  it('does not validate against a schema whose references multiply', () => {
    const names = Array.from({ length: 40 }, (_, index) => `s${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => {
        const next = { $ref: `#/$defs/s${index + 1}` };
        return [name, index < 39 ? { allOf: [next, next] } : { type: 'string' }];
      }),
    );
    expect(issueOf(schemaOf({ a: { $ref: '#/$defs/s0' } }, { $defs }), { a: 1 })).toBeUndefined();
    expect(issueOf(schemaOf({ a: { $ref: '#/$defs/s30' } }, { $defs }), { a: 1 })).toContain('"string"');
  });

  it('ignores formats without a console warning', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const formats = schemaOf({
      a: { type: 'string', format: 'uri' },
      format: { type: 'string', format: 'odd' },
    });
    expect(issueOf(formats, { a: 'no address', format: 'x' })).toBeUndefined();
    expect(issueOf(formats, { format: 1 })).toContain('format: type "number" is invalid');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('does not run patterns, which may take forever', () => {
    const slow = schemaOf({ a: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'string' } });
    expect(issueOf(slow, { a: `${'a'.repeat(40)}!` })).toBeUndefined();
    expect(issueOf(slow, { pattern: 1 })).toContain('pattern: type "number" is invalid');
  });

  it('keeps the name of an argument called "data"', () => {
    expect(issueOf(schemaOf({ data: { type: 'string' } }), { data: 1 })).toContain(': data: type "number"');
  });

  it('reads the draft that a schema declares, and distinguishes two schemas with one id', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const $id = 'https://example.com/arguments';
    const text = schemaOf({ a: { type: 'string' } }, { $schema, $id });
    const number = schemaOf({ a: { type: 'number' } }, { $schema, $id });
    expect([issueOf(text, { a: 'x' }), issueOf(number, { a: 1 })]).toEqual([undefined, undefined]);
    expect(issueOf(text, { a: 1 })).toContain('Expected "string"');
    expect(issueOf(number, { a: 'x' })).toContain('Expected "number"');
  });

  it('allows null for an argument that is repeated as a header', () => {
    const flag = { type: 'boolean' };
    const withHeader = schemaOf({ flag: { ...flag, 'x-mcp-header': 'Flag' } });
    expect(issueOf(withHeader, { flag: null })).toBeUndefined();
    expect(issueOf(withHeader, { flag: 1 })).toContain('flag: type "number" is invalid');
    expect(issueOf(schemaOf({ flag }), { flag: null })).toContain('flag: type "null" is invalid');
  });
});
