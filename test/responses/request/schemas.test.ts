import { describe, expect, it } from 'vitest';
import {
  createSchemaLosses,
  toAcceptedSchema,
  toParameters,
  toResponseSchema,
} from '../../../src/responses/request/schemas.js';

const empty = { type: 'object', properties: {} };

it.each([
  ['an empty schema', {}, empty],
  ['a missing schema', undefined, empty],
  ['null', null, empty],
  ['true', true, empty],
  ['a list', [], empty],
  ['a null type', { type: null }, empty],
  ['a type other than object', { type: 'string' }, empty],
  ['an object without properties', { type: 'object' }, empty],
  ['`$schema`', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, empty],
  [
    'a list of types',
    { type: ['object', 'null'], properties: { a: {} } },
    { ...empty, properties: { a: {} } },
  ],
  ['properties without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
  [
    'an invalid type with properties',
    { type: 'None', properties: { a: {} } },
    { ...empty, properties: { a: {} } },
  ],
])('converts %s to an object schema', (_, schema, expected) => {
  expect(toParameters(schema).schema).toEqual(expected);
});

it('changes nothing else', () => {
  const schema = {
    type: 'object',
    properties: { uri: { type: 'string', format: 'uri' }, $schema: { type: 'string' } },
    required: ['uri'],
    additionalProperties: false,
    $defs: { x: { type: 'null' } },
  };
  expect(toParameters(schema).schema).toEqual(schema);
});

const schemaOf = (schema: unknown) => toAcceptedSchema(schema);

describe('toParameters', () => {
  it('moves the properties of alternatives at the root to the root, where the API rejects alternatives', () => {
    const a = {
      type: 'object',
      properties: { kind: { const: 'a' }, x: { type: 'string' } },
      required: ['kind', 'x'],
    };
    const b = {
      type: 'object',
      properties: { kind: { const: 'b' }, x: { type: 'string' } },
      required: ['kind'],
    };
    for (const keyword of ['oneOf', 'anyOf']) {
      expect(toParameters({ [keyword]: [a, { $ref: '#/$defs/b' }], $defs: { b } })).toEqual({
        schema: {
          type: 'object',
          properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: { type: 'string' } },
          $defs: { b },
        },
        losses: ['root-keyword'],
      });
    }
  });

  it('keeps what all alternatives require', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      required: ['id'],
      allOf: [{ properties: { size: { type: 'number' } }, required: ['size'] }],
      anyOf: [{ required: ['name'] }, { not: {} }],
    };
    expect(toParameters(schema).schema).toEqual({
      type: 'object',
      properties: { ...schema.properties, size: { type: 'number' } },
      required: ['id', 'size'],
    });
  });
});

describe('toResponseSchema', () => {
  const a = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const b = { type: 'object', properties: { b: { type: 'string' } } };

  it.each([
    ['nothing', {}, empty, []],
    ['an object without properties', { type: 'object' }, empty, []],
    ['an object or null', { type: ['object', 'null'] }, empty, []],
    [
      'a record',
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
      { ...empty, additionalProperties: {} },
      [],
    ],
    [
      'a record with names of a pattern',
      { type: 'object', propertyNames: { type: 'string', pattern: '^a' }, additionalProperties: {} },
      { ...empty, additionalProperties: {} },
      ['property-names'],
    ],
    [
      'alternatives',
      { anyOf: [a, b] },
      { ...empty, properties: { ...a.properties, ...b.properties } },
      ['root-keyword'],
    ],
    ['a reference', { $ref: '#/$defs/a', $defs: { a } }, { ...a, $defs: { a } }, []],
    [
      'a list without items inside',
      { type: 'object', properties: { list: { type: 'array' } } },
      { type: 'object', properties: { list: { type: 'array', items: {} } } },
      [],
    ],
    ['what the API accepts', a, a, []],
  ])('converts %s as the schema of a tool', (_, schema, expected, losses) => {
    expect(toResponseSchema(schema)).toEqual({ schema: expected, losses });
    expect(toParameters(schema)).toEqual(toResponseSchema(schema));
  });

  it.each([
    { type: 'array', items: { type: 'string' } },
    { type: 'string', enum: ['a', 'b'] },
    { enum: ['a', 'b'] },
    { anyOf: [{ type: 'string' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'number' } } },
  ])('keeps %j, which some servers accept', schema => {
    expect(toResponseSchema(schema)).toEqual({ schema, losses: [] });
  });
});

describe('toAcceptedSchema', () => {
  it('removes `propertyNames` everywhere, but not properties of that name', () => {
    const inner = { type: 'object', propertyNames: { type: 'string', pattern: '^a' } };
    const { schema, losses } = schemaOf({
      type: 'object',
      properties: { propertyNames: inner, list: { type: 'array', items: inner } },
      $defs: { x: { anyOf: [inner, { propertyNames: { type: 'number' } }] } },
    });
    const without = { type: 'object' };
    expect(schema).toEqual({
      type: 'object',
      properties: { propertyNames: without, list: { type: 'array', items: without } },
      $defs: { x: { anyOf: [without, {}] } },
    });
    expect(losses).toEqual(['property-names']);
  });

  it.each([
    ['^(?=.*a)', true],
    ['(?!x)', true],
    ['(?<=a)b', true],
    ['(?<!a)b', true],
    [String.raw`\\(?=a)`, true],
    [String.raw`[\]](?=a)`, true],
    ['[(?=]', false],
    [String.raw`\(?=a`, false],
    [String.raw`[\](?=]`, false],
    ['(?:a)(?<name>b)', false],
    ['^a+$', false],
  ])('removes the pattern %s: %s', (pattern, isRemoved) => {
    const { schema, losses } = schemaOf({ type: 'string', pattern });
    expect(schema).toEqual(isRemoved ? { type: 'string' } : { type: 'string', pattern });
    expect(losses).toEqual(isRemoved ? ['pattern'] : []);
  });

  it('replaces an `allOf` with only a reference', () => {
    const node = {
      type: 'object',
      properties: { next: { allOf: [{ $ref: '#/$defs/node' }], description: 'd' } },
    };
    expect(schemaOf({ type: 'object', properties: {}, $defs: { node } }).schema).toMatchObject({
      $defs: { node: { properties: { next: { $ref: '#/$defs/node', description: 'd' } } } },
    });
    const both = { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] };
    const $defs = { a: {}, b: {} };
    expect(schemaOf({ type: 'object', properties: { both }, $defs }).schema).toMatchObject({
      properties: { both },
    });
  });

  it.each([
    [{ $ref: '#/$defs/missing', description: 'd' }, { description: 'd' }],
    [{ $ref: 'https://example.com/address.json' }, {}],
    [{ $dynamicRef: '#node' }, {}],
    [{ not: { $ref: '#missing' } }, {}],
    [{ if: { pattern: '(?=x)' }, then: false }, {}],
    [{ oneOf: [{ pattern: '(?=x)' }, { minLength: 3 }] }, { anyOf: [{}, { minLength: 3 }] }],
    [
      { patternProperties: { '(?!_)': { type: 'string' }, '^a': {} }, additionalProperties: false },
      { patternProperties: { '^a': {} }, additionalProperties: { type: 'string' } },
    ],
    [
      { patternProperties: { '[a-': { type: 'string' } }, additionalProperties: { type: 'number' } },
      { patternProperties: {}, additionalProperties: { anyOf: [{ type: 'number' }, { type: 'string' }] } },
    ],
  ])('removes what has no meaning for the API, and forbids nothing by it: %j', (before, after) => {
    const { schema, losses } = schemaOf({ type: 'object', properties: { a: before } });
    expect(schema).toEqual({ type: 'object', properties: { a: after } });
    expect(losses).toHaveLength(1);
  });

  it.each([
    [
      'anyOf',
      { anyOf: [{ properties: { a: true } }, { properties: { b: { $ref: '#/anyOf/0/properties/a' } } }] },
    ],
    ['anyOf with booleans', { anyOf: [true, { properties: { b: { $ref: '#/anyOf/1' } } }] }],
    [
      'allOf, from outside',
      { allOf: [{ properties: { a: true } }], properties: { c: { items: { $ref: '#/allOf/0' } } } },
    ],
    [
      'definitions of an alternative',
      { oneOf: [{ $defs: { I: { type: 'string' } }, properties: { i: { $ref: '#/$defs/I' } } }] },
    ],
  ])('keeps the targets of references to %s', (_, schema) => {
    const converted = toParameters(schema).schema;
    const references = [...JSON.stringify(converted).matchAll(/"\$ref":"#\/([^"]*)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, path = ''] of references) {
      let target: unknown = converted;
      for (const key of path.split('/')) target = (target as Record<string, unknown> | undefined)?.[key];
      expect(target).toBeDefined();
    }
  });

  it('keeps the properties of alternatives inside the alternatives of the root', () => {
    const a = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const b = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] };
    const pair = { allOf: [a, { anyOf: [b, { $ref: '#/$defs/pair' }] }] };
    expect(toParameters({ $ref: '#/$defs/pair', $defs: { pair } }).schema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a'],
      $defs: { pair },
    });
    expect(toParameters({ anyOf: [{ oneOf: [{ allOf: [a] }, b] }, { properties: {} }] }).schema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    });
  });

  it.each([{ allOf: [{ $ref: '#/$defs/node' }] }, { $ref: '#/$defs/node' }])(
    'copies the definition of a root %j into the root',
    root => {
      const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
      expect(schemaOf({ ...root, $defs: { node } }).schema).toEqual({ ...node, $defs: { node } });
    },
  );

  it('changes no schema of the caller and converts each one once', () => {
    const schema = { $schema: 'x', type: 'object', properties: { a: { propertyNames: { pattern: 'a' } } } };
    const copy = structuredClone(schema);
    expect(toParameters(schema)).toBe(toParameters(schema));
    expect(schema).toEqual(copy);
  });

  it('survives schemas that contain themselves or are very deep', () => {
    const cyclic: Record<string, unknown> = { type: 'object' };
    cyclic.properties = { self: cyclic };
    expect(toParameters(cyclic)).toEqual({
      schema: { type: 'object', properties: { self: {} } },
      losses: ['depth'],
    });
    let deep: object = { type: 'string' };
    for (let level = 0; level < 50_000; level++) deep = { type: 'array', items: deep };
    const { schema, losses } = toParameters({ type: 'object', properties: { deep } });
    expect(() => JSON.stringify(schema)).not.toThrow();
    expect(losses).toEqual(['depth']);
  });

  it('reads each part of a large schema the same number of times', () => {
    const readsOf = (count: number): number => {
      let reads = 0;
      const counted = (description: string): object =>
        Object.defineProperty({ description }, 'type', { enumerable: true, get: () => (reads++, 'string') });
      const entries = Array.from({ length: count }, (_, index) => [`p${index}`, counted('x'.repeat(200))]);
      // 4,000 properties are about a megabyte.
      const { schema } = toAcceptedSchema({ type: 'object', properties: Object.fromEntries(entries) });
      expect(JSON.stringify(schema).length).toBeGreaterThan(count * 200);
      return reads / count;
    };
    expect(readsOf(4000)).toBeLessThanOrEqual(readsOf(400));
  });

  it('reports each loss once, with the schemas that have it', () => {
    const warnings: unknown[] = [];
    const losses = createSchemaLosses();
    losses.add(['pattern', 'property-names'], 'a');
    losses.add(['pattern'], 'b');
    losses.report(warning => warnings.push(warning));
    expect(warnings).toMatchObject([
      { type: 'other', message: expect.stringMatching(/lookaround.*Affected: a, b\.$/) },
      { type: 'other', message: expect.stringMatching(/propertyNames.*Affected: a\.$/) },
    ]);
  });
});
