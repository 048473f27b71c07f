import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { isPlainObject } from '../../../src/core/shared/json.js';
import { toParameters } from '../../../src/responses/request/schemas.js';
import { validateFunction } from '../../../src/testing/validation/tools.js';
import { samplesOf } from '../../third-party/_samples.js';

type Json = Record<string, unknown>;

interface Case {
  readonly id: string;
  readonly schema: unknown;
  /** Values that the schema accepts. */
  readonly examples: readonly unknown[];
}

const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });

/** One schema for each rule of the API that schemas of MCP servers break. */
const OWN: readonly Case[] = [
  { id: 'array without items', schema: object({ a: { type: 'array' } }), examples: [{ a: [1, 'x'] }] },
  {
    id: 'tuple',
    schema: object({
      a: { type: 'array', items: [{ type: 'number' }, { type: 'string' }], additionalItems: false },
    }),
    examples: [{ a: [1, 'x'] }],
  },
  {
    id: 'tuple with a rest',
    schema: object({
      a: { type: 'array', items: [{ type: 'number' }], additionalItems: { type: 'string' } },
    }),
    examples: [{ a: [1, 'x', 'y'] }],
  },
  {
    id: 'boolean limit',
    schema: object({ a: { type: 'number', minimum: 0, exclusiveMinimum: true } }),
    examples: [{ a: 1 }],
  },
  {
    id: 'required in a property',
    schema: object({ a: { type: 'string', required: true } }),
    examples: [{ a: 'x' }],
  },
  { id: 'nullable', schema: object({ a: { type: 'string', nullable: true } }), examples: [{ a: null }] },
  {
    id: 'definitions',
    schema: object(
      { a: { $ref: '#/definitions/list' } },
      { definitions: { list: { type: 'array', minItems: 1 } } },
    ),
    examples: [{ a: [1] }],
  },
  {
    id: 'names of properties',
    schema: object({
      a: {
        type: 'object',
        propertyNames: { pattern: '^x' },
        additionalProperties: { type: 'string', maxLength: 3 },
      },
    }),
    examples: [{ a: { x: 'y' } }],
  },
  {
    id: 'lookaround',
    schema: object({ a: { type: 'string', pattern: '^(?!x)' } }),
    examples: [{ a: 'y' }],
  },
  {
    id: 'patterns of names',
    schema: object({}, { patternProperties: { '^(?!x)': { type: 'string' } }, additionalProperties: false }),
    examples: [{ y: 'text' }],
  },
  {
    id: 'alternatives at the root',
    schema: {
      type: 'object',
      oneOf: [
        object({ a: { type: 'string' } }, { required: ['a'] }),
        object({ b: { type: 'number' } }, { required: ['b'] }),
      ],
    },
    examples: [{ a: 'x' }, { b: 1 }],
  },
];

/** More cases: JSON files with the fields `id`, `tool.inputSchema` and `examples`. */
const folder = process.env.SCHEMA_CASES ?? '';
const GIVEN: readonly Case[] = existsSync(folder)
  ? readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .flatMap(name => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Json[])
      .map(({ id, tool, examples }) => ({
        id: String(id),
        schema: (tool as { inputSchema?: unknown }).inputSchema,
        examples: examples as unknown[],
      }))
  : [];

/** What servers mean by schemas that no draft allows. */
const MEANT: Readonly<Record<string, Json>> = {
  'boolean limit': object({ a: { type: 'number', exclusiveMinimum: 0 } }),
  'required in a property': object({ a: { type: 'string' } }, { required: ['a'] }),
  'tuple-empty': object({ x: { type: 'array' } }),
  'exclusive-minimum-true': object({ n: { type: 'number', exclusiveMinimum: 0 } }),
  'exclusive-maximum-false': object({ n: { type: 'number', maximum: 9 } }),
  'exclusive-minimum-without-minimum': object({ n: { type: 'number' } }),
  'required-in-property': object(
    { city: { type: 'string' }, unit: { type: 'string' } },
    { required: ['city'] },
  ),
  'required-null': object({ a: { type: 'string' } }),
  'required-string': object({ a: { type: 'string' } }, { required: ['a'] }),
  'required-twice': object({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['a'] }),
  'properties-null': object({}),
  'properties-list': object({}),
  'property-null': object({ a: {}, b: { type: 'string' } }),
  'property-is-type-name': object({ a: { type: 'string' }, b: { type: 'string' } }),
  'items-null': object({ x: { type: 'array' } }),
  'description-number': object({ a: { type: 'string' } }),
  'description-list': object({ a: { type: 'string' } }),
  'enum-null': object({ a: { type: 'string' } }),
  'min-length-string': object({ a: { type: 'string', minLength: 1 } }),
  'min-length-negative': object({ a: { type: 'string' } }),
  'type-any': object({ a: {} }),
  'type-int-float-dict': object({
    a: { type: 'integer' },
    b: { type: 'number' },
    c: { type: 'object' },
    d: { type: 'string' },
    e: { type: 'boolean' },
    f: { type: 'array' },
  }),
  'type-upper-case': object({ a: { type: 'string' } }),
  'type-file': object({ a: {} }),
  'type-list-empty': object({ a: {} }),
  'any-of-empty': object({ a: {} }),
  'any-of-object': object({ a: { type: 'string' } }),
  'pattern-invalid': object({ a: { type: 'string' } }),
  'root-true': object({}),
  'root-null': object({}),
  'ref-dangling': object({ a: {}, b: { type: 'string' } }),
  'ref-external': object({ a: {}, b: { type: 'string' } }),
};

/** A schema with thousands of properties is not compared. */
const MAX_LENGTH = 50_000;

const options = { strict: false, validateFormats: false, logger: false } as const;
const drafts = [new Ajv2020(options), new Ajv(options)];

type Validate = (value: unknown) => boolean;

/** Compiles a schema of any draft as a server means it, or returns why it cannot be compared. */
function compile(schema: unknown): Validate | string {
  if (!isPlainObject(schema) || [schema.type ?? 'object'].flat()[0] !== 'object')
    return 'it describes no object';
  const { length } = JSON.stringify(schema);
  if (length > MAX_LENGTH) return `it has ${length} characters`;
  const { $schema: _schema, $id: _id, ...rest } = schema;
  let reason = '';
  for (const ajv of drafts) {
    try {
      const validate = ajv.compile(rest);
      return value => validate(value) === true;
    } catch (error) {
      // The schema belongs to another draft.
      reason = String(error);
    }
  }
  return reason;
}

/** Schemas that cannot be compared. */
const UNCOMPARED: readonly string[] = ['properties-5001', 'root-array'];

describe('a schema that is changed for the API', () => {
  const counts = { schemas: 0, changed: 0, values: 0, accepted: 0, rejected: 0, wider: 0 };
  const uncompared: Record<string, string> = {};

  const schemas = [...OWN, ...GIVEN];

  it.each(schemas.map(({ id, ...rest }) => [id, rest] as const))(
    'keeps its meaning: %s',
    (id, { schema, examples }) => {
      const { schema: sent, losses } = toParameters(schema);
      expect(validateFunction({ name: 'tool', parameters: sent }, { path: 'tools[0]' })).toBeUndefined();
      const meant = MEANT[id] ?? schema;
      const [before, after] = [compile(meant), compile(sent)];
      counts.schemas++;
      if (JSON.stringify(sent) !== JSON.stringify(schema)) counts.changed++;
      if (typeof before === 'string') uncompared[id] = before;
      expect(typeof after).toBe(id === 'properties-5001' ? 'string' : 'function');
      if (typeof after === 'string') return;
      for (const value of examples) expect({ value, fits: after(value) }).toEqual({ value, fits: true });
      if (typeof before === 'string' || !isPlainObject(meant)) return;
      const wrong: string[] = [];
      // Arguments are always objects.
      for (const value of samplesOf(meant).filter(isPlainObject)) {
        counts.values++;
        const [fits, stillFits] = [before(value), after(value)];
        counts[fits ? 'accepted' : 'rejected']++;
        if (fits && !stillFits) wrong.push(`forbids ${JSON.stringify(value)}`);
        if (fits || !stillFits) continue;
        counts.wider++;
        if (losses.length === 0) wrong.push(`allows ${JSON.stringify(value)}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  afterAll(() => {
    console.log('sample values of schemas:', counts, 'not compared:', uncompared);
    expect(Object.keys(uncompared).filter(id => !UNCOMPARED.includes(id))).toEqual([]);
    // Some of the tests alone may have few values.
    if (counts.schemas < schemas.length) return;
    expect(counts.accepted).toBeGreaterThan(50);
    expect(counts.rejected).toBeGreaterThan(50);
  });
});
