import { isPlainObject } from '../../../core/shared/json.js';
import {
  branchesOf,
  itemSchema,
  propertySchema,
  resolveSchema,
  toProperties,
} from '../../../core/tool-calls/json-schema.js';
import { containerSchemaOf } from '../../../core/tool-calls/schema-repair.js';

/** The type of a plain-text value. `text` accepts any value, `quoted` a string in JSON syntax. */
export type ValueType = 'text' | 'quoted' | 'null' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** A schema that refers to itself adds nothing at greater depth. */
const MAX_DEPTH = 8;

/** Returns the schema of an array's item, or `true` if nothing is known about it. */
export const toItemSchema = (schema: unknown, root: unknown, index: number): unknown =>
  itemSchema(containerSchemaOf([], schema, root) ?? resolveSchema(schema, root), index);

/** Returns the schema of an object's property, which may be the one of additional properties. */
export const toPropertySchema = (schema: unknown, root: unknown, key: string): unknown =>
  toProperties(schema, root)?.[key] ??
  propertySchema(containerSchemaOf({}, schema, root) ?? resolveSchema(schema, root), key);

/**
 * Returns the types that a schema allows: those of `type`, or of the schemas that it is composed of. Type names outside of JSON Schema that servers use (`float`,
 * `dict`, `varchar`) are recognized too.
 */
export function toValueTypes(schema: unknown, root: unknown): readonly ValueType[] {
  const types = toNamedTypes(schema, root);
  return types.length === 0 ? ['text'] : types;
}

/** Returns the types that a schema allows, or none if it does not restrict them. */
export function toNamedTypes(schema: unknown, root: unknown): readonly ValueType[] {
  if (!isPlainObject(schema)) return [];
  // Most schemas name one type. Nothing is cached by schema, because hosts may change schemas in place.
  const single = schema.$ref === undefined ? singleTypes.get(schema.type) : undefined;
  return single ?? [...new Set(collectTypes(schema, root, 0))];
}

const singleTypes: ReadonlyMap<unknown, readonly ValueType[]> = new Map([
  ['string', ['text']],
  ['integer', ['integer']],
  ['number', ['number']],
  ['boolean', ['boolean']],
  ['object', ['object']],
  ['array', ['array']],
  ['null', ['null']],
]);

function collectTypes(schema: unknown, root: unknown, depth: number): ValueType[] {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return [];
  const resolved = resolveSchema(schema, root);
  const named = [resolved.type].flat().flatMap(name => (typeof name === 'string' ? [toValueType(name)] : []));
  if (named.length > 0) return named;
  const values = Array.isArray(resolved.enum) ? resolved.enum : 'const' in resolved ? [resolved.const] : [];
  if (values.length > 0) return toTypesOf(values);
  const branches = branchesOf(resolved).flatMap(branch => collectTypes(branch, root, depth + 1));
  if (branches.length > 0) return branches;
  if ('properties' in resolved) return ['object'];
  return 'items' in resolved || 'prefixItems' in resolved ? ['array'] : [];
}

/**
 * Returns the types of the values of an enumeration. Its strings come last, so that they take only what is none of its
 * other values.
 */
function toTypesOf(values: readonly unknown[]): ValueType[] {
  const types = values.map(value => {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'array';
    if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
    return typeof value === 'boolean' ? 'boolean' : typeof value === 'object' ? 'object' : 'text';
  });
  return [...types.filter(type => type !== 'text'), ...types.filter(type => type === 'text')];
}

const typeNames: readonly (readonly [RegExp, ValueType])[] = [
  [/^(?:int|uint|long|short|unsigned)/, 'integer'],
  [/^(?:num|float|double|decimal)/, 'number'],
  [/^bool/, 'boolean'],
  [/^(?:object|dict|map$)/, 'object'],
  [/^(?:arr|list|tuple)/, 'array'],
  [/^null$/, 'null'],
];

const toValueType = (name: string): ValueType =>
  typeNames.find(([pattern]) => pattern.test(name.trim().toLowerCase()))?.[1] ?? 'text';
