import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject, type PlainObject } from '../shared/json.js';
import { readJson, repairJson } from './json-repair.js';
import { alternativesOf, itemSchema, propertySchema, resolveSchema } from './json-schema.js';

/**
 * Parses strings as JSON where the schema does not allow a string: `"3"` for an integer, `"[1, 2]"` for an array,
 * `"null"` for a nullable number. Values that satisfy the schema are unchanged, and so are values that cannot be
 * converted.
 *
 * @returns the same object if nothing was repaired.
 */
export function repairBySchema(value: Record<string, unknown>, schema: JSONSchema7): Record<string, unknown> {
  const repaired = repair(value, schema, startOf(schema));
  return isPlainObject(repaired) ? repaired : value;
}

/** Returns true if a value has the types and the required properties of a schema, at every level. */
export const hasTypesOf = (value: unknown, schema: JSONSchema7): boolean =>
  fitsSchema(value, schema, startOf(schema));

const startOf = (root: JSONSchema7): Position => ({ root, depth: 0, steps: { left: MAX_STEPS } });

/** Maximum nesting that is checked. Schemas can be recursive. */
const MAX_DEPTH = 32;

/** Maximum number of schemas checked for one value. Nested alternatives grow exponentially. */
const MAX_STEPS = 100_000;

interface Position {
  /** The schema that references point into. */
  readonly root: JSONSchema7;
  readonly depth: number;
  /** Shared by all checks of one call. */
  readonly steps: { left: number };
}

const deeper = (position: Position): Position => ({ ...position, depth: position.depth + 1 });

function repair(value: unknown, schema: unknown, position: Position): unknown {
  if (typeof schema === 'boolean' || fitsSchema(value, schema, position)) return value;
  const resolved = resolveSchema(schema, position.root);
  for (const alternative of alternativesOf(resolved)) {
    const repaired = repair(value, alternative, deeper(position));
    if (fitsSchema(repaired, alternative, deeper(position))) return repaired;
  }
  if (typeof value === 'string') return repairText(value, resolved, position);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      repair(item, itemSchema(resolved, index), deeper(position)),
    );
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    repair(inner, propertySchema(resolved, name), deeper(position)),
  ]);
  return entries.every(([name, inner]) => inner === value[name]) ? value : Object.fromEntries(entries);
}

function repairText(text: string, schema: PlainObject, position: Position): unknown {
  const value = parseText(text);
  if (value === undefined || typeof value === 'string') return text;
  const repaired = repair(value, schema, deeper(position));
  return fitsSchema(repaired, schema, position) ? repaired : text;
}

/** Constants in JSON, Python and upper-case spelling. */
const constants: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
]);

function parseText(text: string): unknown {
  const word = text.trim();
  if (/^-?\d/.test(word)) return isExactNumber(word) ? readJson(word)?.value : undefined;
  if (/^[{[]/.test(word)) return (readJson(word) ?? repairJson(word))?.value;
  return constants.get(word.toLowerCase());
}

/** Returns true if a JavaScript number holds all digits of the literal. Otherwise the text is more precise. */
function isExactNumber(literal: string): boolean {
  const digits = literal.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  return digits.length <= 15;
}

/**
 * Returns true if a value has the types that a schema asks for, at every level. Limits, patterns and undeclared
 * properties are not checked. Keywords that are not understood accept any value, because MCP servers send schemas of
 * every dialect.
 */
function fitsSchema(value: unknown, schema: unknown, position: Position): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isPlainObject(schema) || position.depth > MAX_DEPTH || position.steps.left-- <= 0) return true;
  const resolved = resolveSchema(schema, position.root);
  const fits = (one: unknown): boolean => fitsSchema(value, one, deeper(position));
  return (
    hasType(value, resolved) &&
    (toList(resolved.enum)?.some(option => isSame(option, value)) ?? true) &&
    (resolved.const === undefined || isSame(resolved.const, value)) &&
    (toList(resolved.anyOf)?.some(fits) ?? true) &&
    (toList(resolved.oneOf)?.some(fits) ?? true) &&
    (toList(resolved.allOf)?.every(fits) ?? true) &&
    childrenFit(value, resolved, deeper(position))
  );
}

function childrenFit(value: unknown, schema: PlainObject, position: Position): boolean {
  if (Array.isArray(value)) {
    return value.every((item, index) => fitsSchema(item, itemSchema(schema, index), position));
  }
  if (!isPlainObject(value)) return true;
  return (
    (toList(schema.required)?.every(name => Object.hasOwn(value, String(name))) ?? true) &&
    Object.entries(value).every(([name, inner]) => fitsSchema(inner, propertySchema(schema, name), position))
  );
}

const types: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['string', value => typeof value === 'string'],
  ['boolean', value => typeof value === 'boolean'],
  ['number', value => Number.isFinite(value)],
  ['integer', value => Number.isInteger(value)],
  ['null', value => value === null],
  ['array', value => Array.isArray(value)],
  ['object', isPlainObject],
]);

/** Accepts any value for types that JSON Schema does not define. */
const hasType = (value: unknown, { type }: PlainObject): boolean =>
  type === undefined || [type].flat().some(name => types.get(name)?.(value) ?? true);

const toList = (list: unknown): readonly unknown[] | undefined => (Array.isArray(list) ? list : undefined);

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right));
