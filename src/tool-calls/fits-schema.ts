import type { JSONSchema7, JSONSchema7Definition as Definition } from '@ai-sdk/provider';

/** How deep a value is looked into; a schema may refer to itself. */
const MAX_DEPTH = 32;

/** How many schemas are looked at for one value: alternatives of alternatives are soon more than any machine can try. */
const MAX_STEPS = 100_000;

/** Where a judgement stands. */
export interface SchemaPlace {
  /** The schema that references point into. */
  readonly root: JSONSchema7;
  readonly depth: number;
  /** Shared by the whole judgement. */
  readonly steps: { left: number };
}

export const toPlace = (root: JSONSchema7): SchemaPlace => ({ root, depth: 0, steps: { left: MAX_STEPS } });

export const deeper = (place: SchemaPlace): SchemaPlace => ({ ...place, depth: place.depth + 1 });

/**
 * Whether a value has the types that a schema asks for, all the way down. Limits and patterns are left to whoever
 * validates; what is not understood fits, for tools of MCP servers bring schemas of every kind.
 */
export function fitsSchema(value: unknown, schema: Definition, place: SchemaPlace): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema) || place.depth > MAX_DEPTH || place.steps.left-- <= 0) return true;
  const known = resolveSchema(schema, place);
  const fits = (one: Definition): boolean => fitsSchema(value, one, deeper(place));
  return (
    hasType(value, known) &&
    (toList(known.enum)?.some(option => isSame(option, value)) ?? true) &&
    (known.const === undefined || isSame(known.const, value)) &&
    (toList(known.anyOf)?.some(fits) ?? true) &&
    (toList(known.oneOf)?.some(fits) ?? true) &&
    (toList(known.allOf)?.every(fits) ?? true) &&
    partsFit(value, known, deeper(place))
  );
}

/** The schema that a reference stands for, and any other as it is. */
export function resolveSchema(schema: JSONSchema7, { root }: Pick<SchemaPlace, 'root'>): JSONSchema7 {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#')) return schema;
  let found: unknown = root;
  for (const step of schema.$ref.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isObject(found) ? found : {};
}

/** The schemas of which a value need fit but one. */
export const alternativesOf = ({ anyOf, oneOf }: JSONSchema7): readonly Definition[] =>
  toList(anyOf) ?? toList(oneOf) ?? [];

/** The schema of one item of an array. */
export function itemSchema(schema: JSONSchema7 & { prefixItems?: unknown }, index: number): Definition {
  const { items, prefixItems = items } = schema;
  if (Array.isArray(prefixItems)) return prefixItems[index] ?? true;
  return Array.isArray(items) ? true : (items ?? true);
}

/** The schema of one property. A property too many is for whoever validates to judge. */
export function propertySchema(schema: JSONSchema7, name: string): Definition {
  const { properties, additionalProperties, patternProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name] ?? true;
  if (patternProperties !== undefined || typeof additionalProperties !== 'object') return true;
  return additionalProperties;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function partsFit(value: unknown, schema: JSONSchema7, place: SchemaPlace): boolean {
  if (Array.isArray(value)) {
    return value.every((item, index) => fitsSchema(item, itemSchema(schema, index), place));
  }
  if (!isObject(value)) return true;
  return (
    (toList(schema.required)?.every(name => Object.hasOwn(value, name)) ?? true) &&
    Object.entries(value).every(([name, inner]) => fitsSchema(inner, propertySchema(schema, name), place))
  );
}

type TypeCheck = (value: unknown) => boolean;

const types: ReadonlyMap<unknown, TypeCheck> = new Map<string, TypeCheck>([
  ['string', value => typeof value === 'string'],
  ['boolean', value => typeof value === 'boolean'],
  ['number', value => Number.isFinite(value)],
  ['integer', value => Number.isInteger(value)],
  ['null', value => value === null],
  ['array', value => Array.isArray(value)],
  ['object', isObject],
]);

/** A type of another dialect than JSON Schema's is any. */
const hasType = (value: unknown, { type }: JSONSchema7): boolean =>
  type === undefined || [type].flat().some(name => types.get(name)?.(value) ?? true);

const toList = <Item>(list: readonly Item[] | undefined): readonly Item[] | undefined =>
  Array.isArray(list) ? list : undefined;

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right));
