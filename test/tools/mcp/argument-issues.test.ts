import type { JSONSchema7 } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import { findArgumentIssue } from '../../../src/tools/mcp/features/argument-issues.js';

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
      'names by a pattern with an assertion',
      schemaOf({}, { patternProperties: { '^(?=x)': {} }, additionalProperties: false }),
      { x: 1 },
    ],
    ['a pattern with a reference', schemaOf({ a: { pattern: String.raw`^(.)\1$` } }), { a: 'ab' }],
    ...[
      { not: { pattern: '(?=x)y' } },
      { oneOf: [{ pattern: '^(?=x)' }, { pattern: '^h' }] },
      { if: { pattern: '^(?=x)' }, then: { maxLength: 1 } },
      { type: 'array', contains: { pattern: '^(?=x)' }, maxContains: 1 },
      { not: { $ref: '#/$defs/code' } },
    ].map((odd): [string, JSONSchema7, Record<string, unknown>] => [
      `a pattern with an assertion that must not match: ${JSON.stringify(odd)}`,
      schemaOf({ a: odd as JSONSchema7 }, { $defs: { code: { pattern: '(?=x)y' } } }),
      { a: 'type' in odd ? ['hello', 'hello'] : 'hello' },
    ]),
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

  it('follows patterns of servers in linear time, and says which argument does not match', () => {
    const slow = schemaOf({ a: { type: 'string', pattern: '^(a+)+$' }, b: { pattern: '(x*)*y(x*)*z$' } });
    const startedAt = performance.now();
    expect(issueOf(slow, { a: `${'a'.repeat(5000)}!` })).toMatch(
      /^Invalid arguments for tool "paint": a: is excluded by "not" or "pattern"\. Expected: \{"a":/,
    );
    expect(issueOf(slow, { a: 'a'.repeat(5000), b: `y${'x'.repeat(5000)}` })).toContain(': b: is excluded');
    expect(issueOf(slow, { a: 'aaa', b: 'yxxz' })).toBeUndefined();
    // A backtracking engine needs longer than the universe exists.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('does not follow more patterns than a call may take', () => {
    const many = schemaOf(
      Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [`p${index}`, { pattern: `^(x?){900}${index}$` }]),
      ),
    );
    expect(issueOf(many, { p0: 'x'.repeat(5000) })).toBeUndefined();
    expect(issueOf(schemaOf({ a: { pattern: '^(x{100}){100}$' } }), { a: 'y' })).toBeUndefined();
  });

  it('does not compare thousands of texts with all that a pattern excludes', () => {
    const words = Array.from({ length: 40_000 }, (_, index) => index.toString(36));
    const items = { not: { pattern: '^A' } };
    const startedAt = process.cpuUsage();
    expect(issueOf(schemaOf({ a: { type: 'array', items } }), { a: words })).toBeUndefined();
    // More than ten seconds, if each text is compared with each other one.
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(3000);
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

  /** Each keyword of draft 2020-12 that restricts values, with arguments that it allows and forbids. */
  const keywords: readonly (readonly [keyword: string, schema: object, valid: unknown, invalid: unknown])[] =
    [
      ['type', { type: 'string' }, 'x', 1],
      ['enum', { enum: ['x', 2] }, 2, 3],
      ['const', { const: { x: 1 } }, { x: 1 }, { x: 2 }],
      ['multipleOf', { multipleOf: 5 }, 10, 11],
      ['maximum', { maximum: 5 }, 5, 6],
      ['exclusiveMaximum', { exclusiveMaximum: 5 }, 4, 5],
      ['minimum', { minimum: 5 }, 5, 4],
      ['exclusiveMinimum', { exclusiveMinimum: 5 }, 6, 5],
      ['maxLength', { maxLength: 1 }, 'x', 'xx'],
      ['minLength', { minLength: 2 }, 'xx', 'x'],
      ['pattern', { pattern: String.raw`^[a-z]{2}\d+(?:-[\w.]+)?$` }, 'ab1-x.y', 'ab'],
      ['maxItems', { maxItems: 1 }, [1], [1, 2]],
      ['minItems', { minItems: 2 }, [1, 2], [1]],
      ['uniqueItems', { uniqueItems: true }, [1, 2], [1, 1]],
      ['maxContains', { contains: { const: 1 }, maxContains: 1 }, [1], [1, 1]],
      ['minContains', { contains: { const: 1 }, minContains: 2 }, [1, 1], [1]],
      ['maxProperties', { maxProperties: 1 }, { x: 1 }, { x: 1, y: 1 }],
      ['minProperties', { minProperties: 1 }, { x: 1 }, {}],
      ['required', { required: ['x'] }, { x: 1 }, {}],
      ['dependentRequired', { dependentRequired: { x: ['y'] } }, { y: 1 }, { x: 1 }],
      ['prefixItems', { prefixItems: [{ type: 'string' }] }, ['x'], [1]],
      ['items', { items: { type: 'string' } }, ['x'], [1]],
      ['contains', { contains: { type: 'string' } }, ['x'], [1]],
      ['properties', { properties: { x: { type: 'string' } } }, { x: 'y' }, { x: 1 }],
      [
        'patternProperties',
        { patternProperties: { '^x': { type: 'string' } } },
        { x1: 'y', y: 1 },
        { x1: 1 },
      ],
      [
        'additionalProperties',
        { patternProperties: { '^x': {} }, additionalProperties: false },
        { x1: 1 },
        { y: 1 },
      ],
      ['propertyNames', { propertyNames: { pattern: '^x' } }, { x1: 1 }, { y: 1 }],
      ['unevaluatedItems', { prefixItems: [{}], unevaluatedItems: false }, [1], [1, 2]],
      [
        'unevaluatedProperties',
        { patternProperties: { '^x': {} }, unevaluatedProperties: false },
        { x: 1 },
        { y: 1 },
      ],
      ['allOf', { allOf: [{ pattern: '^x' }, { maxLength: 1 }] }, 'x', 'xx'],
      ['anyOf', { anyOf: [{ type: 'string', pattern: '^x' }, { type: 'number' }] }, 'x', 'y'],
      ['oneOf', { oneOf: [{ minimum: 1 }, { minimum: 3 }] }, 2, 4],
      ['not', { not: { type: 'string', pattern: '^x' } }, 'y', 'x'],
      ['if', { if: { type: 'string' }, then: { minLength: 2 } }, 'xx', 'x'],
      ['then', { if: { type: 'string' }, then: { pattern: 'y' } }, 'y', 'x'],
      ['else', { if: { type: 'string' }, else: { minimum: 1 } }, 'x', 0],
      ['dependentSchemas', { dependentSchemas: { x: { required: ['y'] } } }, { y: 1 }, { x: 1 }],
      ['$ref', { $ref: '#/$defs/code' }, 'x', 'y'],
      ['$dynamicRef', { $dynamicRef: '#code' }, 'x', 'y'],
    ];

  it.each(keywords)('checks the keyword %s', (_, schema, valid, invalid) => {
    const whole = schemaOf(
      { value: schema },
      { $defs: { code: { $dynamicAnchor: 'code', type: 'string', pattern: '^x' } } },
    );
    expect(issueOf(whole, { value: valid })).toBeUndefined();
    expect(issueOf(whole, { value: invalid })).toContain('Invalid arguments for tool "paint"');
  });

  it.each([
    ['format', { format: 'date' }, 'never'],
    ['contentEncoding', { contentEncoding: 'base64' }, '!'],
    ['contentMediaType', { contentMediaType: 'application/json' }, '{'],
    ['contentSchema', { contentMediaType: 'application/json', contentSchema: { type: 'object' } }, '1'],
  ])('does not check the keyword %s, which is an annotation', (_, schema, value) => {
    expect(issueOf(schemaOf({ value: schema }), { value })).toBeUndefined();
  });
});
