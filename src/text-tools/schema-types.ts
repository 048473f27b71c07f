import { isPlainObject, type PlainObject } from '../shared/json.js';
import { branchesOf, resolveSchema } from '../tool-calls/json-schema.js';

/** The type of a plain-text value. `text` accepts any value, `quoted` a string in JSON syntax. */
export type ValueType = 'text' | 'quoted' | 'null' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** A schema that refers to itself adds nothing at greater depth. */
const MAX_DEPTH = 8;

/** Returns the properties of a tool's arguments, or undefined if its schema lists none. */
export function toProperties(schema: unknown): PlainObject | undefined {
  const found = collectProperties(schema, schema, 0);
  return found.every(properties => Object.keys(properties).length === 0)
    ? undefined
    : Object.assign(Object.create(null), ...found);
}

function collectProperties(schema: unknown, root: unknown, depth: number): PlainObject[] {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return [];
  const resolved = resolveSchema(schema, root);
  const properties = [schema.properties, resolved.properties].filter(isPlainObject);
  return [
    ...properties,
    ...branchesOf(resolved).flatMap(branch => collectProperties(branch, root, depth + 1)),
  ];
}

/**
 * Returns the types that a schema allows, in its order: those of `type`, or of the schemas that it is composed of. A
 * value is converted to the first type that it fits. Type names outside of JSON Schema that servers use (`float`,
 * `dict`, `varchar`) are recognized too.
 */
export function toValueTypes(schema: unknown, root: unknown): readonly ValueType[] {
  const types = new Set(collectTypes(schema, root, 0));
  return types.size === 0 ? ['text'] : [...types];
}

function collectTypes(schema: unknown, root: unknown, depth: number): ValueType[] {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return [];
  const resolved = resolveSchema(schema, root);
  const named = [resolved.type].flat().flatMap(name => (typeof name === 'string' ? [toValueType(name)] : []));
  if (named.length > 0) return named;
  if (Array.isArray(resolved.enum)) return ['text'];
  const branches = branchesOf(resolved).flatMap(branch => collectTypes(branch, root, depth + 1));
  if (branches.length > 0) return branches;
  if ('properties' in resolved) return ['object'];
  return 'items' in resolved || 'prefixItems' in resolved ? ['array'] : [];
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
