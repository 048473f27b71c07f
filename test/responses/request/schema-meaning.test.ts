import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { isPlainObject } from '../../../src/shared/json.js';
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

/** A schema with thousands of properties is not compared. */
const MAX_LENGTH = 50_000;

const options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const;
const drafts = [new Ajv2020(options), new Ajv(options)];

/** Compiles a schema of any draft as a server means it. Returns undefined for one that no draft allows. */
function compile(schema: unknown): ((value: unknown) => boolean) | undefined {
  if (!isPlainObject(schema) || [schema.type ?? 'object'].flat()[0] !== 'object') return undefined;
  if (JSON.stringify(schema).length > MAX_LENGTH) return undefined;
  const { $schema: _schema, $id: _id, ...rest } = schema;
  for (const ajv of drafts) {
    try {
      const validate = ajv.compile(rest);
      return value => validate(value) === true;
    } catch {
      // The schema belongs to another draft.
    }
  }
  return undefined;
}

describe('a schema that is changed for the API', () => {
  const counts = { schemas: 0, changed: 0, values: 0, accepted: 0, rejected: 0, wider: 0, uncompared: 0 };

  it.each([...OWN, ...GIVEN].map(({ id, ...rest }) => [id, rest] as const))(
    'keeps its meaning: %s',
    (_, { schema, examples }) => {
      const { schema: sent, losses } = toParameters(schema);
      expect(validateFunction({ name: 'tool', parameters: sent }, { path: 'tools[0]' })).toBeUndefined();
      const [before, after] = [compile(schema), compile(sent)];
      expect({ compiles: after !== undefined || before === undefined }).toEqual({ compiles: true });
      counts.schemas++;
      if (JSON.stringify(sent) !== JSON.stringify(schema)) counts.changed++;
      for (const value of examples)
        expect({ value, fits: after?.(value) ?? true }).toEqual({ value, fits: true });
      if (before === undefined || after === undefined || !isPlainObject(schema)) {
        counts.uncompared++;
        return;
      }
      const wrong: string[] = [];
      // Arguments are always objects.
      for (const value of samplesOf(schema).filter(isPlainObject)) {
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

  it('is compared by enough values', () => {
    console.log('sample values of schemas:', counts);
    expect(counts.accepted).toBeGreaterThan(50);
    expect(counts.rejected).toBeGreaterThan(50);
    expect(counts.uncompared).toBeLessThan(counts.schemas / 2);
  });
});
