import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject, type PlainObject } from '../shared/json.js';
import { readJson, repairJson, toNumber } from './json-repair.js';
import { alternativesOf, itemSchema, propertySchema, resolveSchema, toProperties } from './json-schema.js';

/**
 * Converts values that the schema does not allow, if exactly one value can be meant: a string is parsed as JSON (`"3"`
 * for an integer, `"[1, 2]"` for an array, `"null"` for a nullable number), a number becomes a string, one item a list,
 * a list of one item that item, and a member of an enum gets its spelling. Values that satisfy the schema are unchanged,
 * and so are values that cannot be converted.
 *
 * @returns the same object if nothing was repaired.
 */
export function repairBySchema(
  value: Record<string, unknown>,
  schema: JSONSchema7,
  json?: string,
): Record<string, unknown> {
  const repaired = repair(value, schema, { ...startOf(schema), json });
  return isPlainObject(repaired) ? repaired : value;
}

/** Converts the JSON of a value as `repairBySchema` does. JSON that needs no conversion is returned unchanged. */
export function toAllowedJson(json: string, schema: unknown, root: unknown): string {
  const value: unknown = JSON.parse(json);
  const repaired = repair(value, schema, { ...startOf(root), json });
  return repaired === value ? json : writeJson(repaired, json);
}

/** Returns true if a schema allows any string, any object or any list, whatever it contains. */
export const allowsAny = (sample: '' | object, schema: unknown, root: unknown): boolean =>
  allowsType(sample, schema, startOf(root));

/** The nesting of alternatives in which the schema of a container is searched. */
const MAX_ALTERNATIVES = 8;

/**
 * Returns the schema that applies to the values in an object or array: the schema itself, or its only alternative that
 * allows any object or array. Returns undefined if several schemas apply, because the whole value decides between them.
 */
export function containerSchemaOf(
  sample: object,
  schema: unknown,
  root: unknown,
  depth = 0,
): PlainObject | undefined {
  const resolved = resolveSchema(schema, root);
  const isSingle = resolved.allOf === undefined && depth <= MAX_ALTERNATIVES;
  if (!isSingle || !allowsAny(sample, schema, root)) return undefined;
  const alternatives = alternativesOf(resolved);
  if (alternatives.length === 0) return resolved;
  const [only, ...others] = alternatives.filter(one => allowsAny(sample, one, root));
  return only === undefined || others.length > 0
    ? undefined
    : containerSchemaOf(sample, only, root, depth + 1);
}

function allowsType(sample: unknown, schema: unknown, position: Position): boolean {
  if (!isPlainObject(schema) || position.depth > MAX_DEPTH || position.steps.left-- <= 0)
    return schema !== false;
  const resolved = resolveSchema(schema, position.root);
  const allows = (one: unknown): boolean => allowsType(sample, one, deeper(position));
  return (
    hasType(sample, resolved) &&
    resolved.enum === undefined &&
    resolved.const === undefined &&
    (toList(resolved.anyOf)?.some(allows) ?? true) &&
    (toList(resolved.oneOf)?.some(allows) ?? true) &&
    (toList(resolved.allOf)?.every(allows) ?? true)
  );
}

/** Returns true if a value has the types and the required properties of a schema, at every level. */
export const hasTypesOf = (value: unknown, schema: JSONSchema7): boolean =>
  fitsSchema(value, schema, startOf(schema));

const startOf = (root: unknown): Position => ({ root, depth: 0, steps: { left: MAX_STEPS } });

/** Maximum nesting that is checked. Schemas can be recursive. */
const MAX_DEPTH = 32;

/** Maximum number of schemas checked for one value. Nested alternatives grow exponentially. */
const MAX_STEPS = 100_000;

interface Position {
  /** The schema that references point into. */
  readonly root: unknown;
  readonly depth: number;
  readonly json?: string | undefined;
  /** Shared by all checks of one call. */
  readonly steps: { left: number };
}

const deeper = (position: Position): Position => ({ ...position, depth: position.depth + 1 });

function repair(value: unknown, schema: unknown, position: Position): unknown {
  if (typeof schema === 'boolean' || fitsSchema(value, schema, position)) return value;
  const resolved = resolveSchema(schema, position.root);
  // A member of an enum may be a word for null.
  const member = typeof value === 'string' ? findMember(value, resolved, position) : undefined;
  if (member !== undefined) return member;
  for (const alternative of alternativesOf(resolved)) {
    const repaired = repair(value, alternative, deeper(position));
    if (fitsSchema(repaired, alternative, deeper(position))) return repaired;
  }
  if (typeof value === 'string') return repairText(value, resolved, position);
  if (typeof value === 'number') return repairNumber(value, resolved, position);
  const sample = Array.isArray(value) ? [] : {};
  const container = containerSchemaOf(sample, resolved, position.root) ?? resolved;
  if (Array.isArray(value)) {
    const only = value.length === 1 ? repair(value[0], resolved, deeper(position)) : undefined;
    if (only !== undefined && !allowsType([], resolved, position) && fitsSchema(only, resolved, position))
      return only;
    const items = value.map((item: unknown, index) =>
      repair(item, itemSchema(container, index), deeper(position)),
    );
    // None of them is an item by itself: together they may be the only one.
    const isItem = (item: unknown, index: number): boolean =>
      fitsSchema(item, itemSchema(container, index), deeper(position)) &&
      (!Array.isArray(item) || isWrittenList(value[index]));
    const list = items.some(isItem) ? undefined : toListOfOne(value, resolved, position);
    if (list !== undefined) return list;
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    repair(inner, propertySchema(container, name), deeper(position)),
  ]);
  if (entries.some(([name, inner]) => inner !== value[name])) return Object.fromEntries(entries);
  return toListOfOne(value, resolved, position) ?? value;
}

function repairText(text: string, schema: PlainObject, position: Position): unknown {
  const value = parseText(text);
  if (value !== undefined && typeof value !== 'string') {
    const repaired = repair(value, schema, deeper(position));
    if (fitsSchema(repaired, schema, position)) return repaired;
  }
  // Text with brackets or commas may be a list that cannot be read. Blank text and a word for null may mean no item.
  const isUnclear = /[[\]{},\n]|^\s*$/.test(text) || value === null;
  return (isUnclear ? undefined : toListOfOne(text, schema, position)) ?? text;
}

/** Returns the only member of the enums of a schema that differs in case and surrounding white space. */
function findMember(text: string, schema: PlainObject, position: Position): unknown {
  const written = text.trim().toLowerCase();
  const alternatives = alternativesOf(schema).map(one => resolveSchema(one, position.root));
  const members = [schema, ...alternatives].flatMap(one => toList(one.enum) ?? [one.const]);
  const found = new Set(
    members.filter(one => typeof one === 'string' && one.trim().toLowerCase() === written),
  );
  const [member] = found;
  return found.size === 1 && fitsSchema(member, schema, position) ? member : undefined;
}

function repairNumber(value: number, schema: PlainObject, position: Position): unknown {
  const text = String(value);
  if (fitsSchema(text, schema, position) && (position.json === undefined || hasPlainNumbers(position.json)))
    return text;
  return toListOfOne(value, schema, position) ?? value;
}

/** The strings and the numbers of JSON. The numbers are a group. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/gs;

/** Returns true if JavaScript writes all numbers as the JSON does: not `1.10` or a number of 20 digits. */
const hasPlainNumbers = (json: string): boolean =>
  [...json.matchAll(STRING_OR_NUMBER)].every(
    ([, number]) => number === undefined || String(Number(number)) === number,
  );

/**
 * Writes a value that was made from JSON, with the digits of its numbers that JavaScript cannot represent. They are lost
 * only if several numbers of the JSON are the same in JavaScript.
 */
export function writeJson(value: unknown, source: string): string {
  const json = JSON.stringify(value);
  if (!/\d{16}/.test(source)) return json;
  const written = new Map<string, string>();
  for (const [, number] of source.matchAll(STRING_OR_NUMBER)) {
    if (number === undefined) continue;
    const short = String(Number(number));
    written.set(short, (written.get(short) ?? number) === number ? number : short);
  }
  return json.replace(STRING_OR_NUMBER, (token, number?: string) => written.get(number ?? '') ?? token);
}

/** Returns a list of the one item if the schema requires a list of such items. */
function toListOfOne(value: unknown, schema: PlainObject, position: Position): unknown[] | undefined {
  const items = itemSchema(schema, 0);
  if (!isPlainObject(items) || !allowsType([], schema, position)) return undefined;
  const item = repair(value, items, deeper(position));
  // Without steps left, everything fits.
  return position.steps.left > 0 && fitsSchema([item], schema, position) ? [item] : undefined;
}

/** Returns true for a list, also as text. */
const isWrittenList = (value: unknown): boolean =>
  Array.isArray(typeof value === 'string' ? parseText(value) : value);

/** Constants in JSON, Python and upper-case spelling. */
const constants: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
]);

function parseText(text: string): unknown {
  const word = text.trim();
  if (/^[-+]?\.?\d/.test(word)) {
    const number = toNumber(word.replace(/^([-+]?)0+(?=\d)/, '$1'));
    return number !== undefined && isExactNumber(word) ? JSON.parse(number) : undefined;
  }
  if (/^[{[]/.test(word)) {
    const reading = readJson(word) ?? repairJson(word, { isValue: true });
    return typeof reading === 'string' || reading.isCompleted ? undefined : reading.value;
  }
  return constants.get(word.toLowerCase());
}

/** Returns true if a JavaScript number holds all digits of the literal. Otherwise the text is more precise. */
function isExactNumber(literal: string): boolean {
  const digits = literal.replace(/e.*$/is, '').replace(/\D/g, '').replace(/^0+/, '');
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
    (typeof value !== 'object' || childrenFit(value, resolved, deeper(position)))
  );
}

function childrenFit(value: unknown, schema: PlainObject, position: Position): boolean {
  if (Array.isArray(value)) {
    const checked = value.slice(0, Math.max(0, position.steps.left));
    return checked.every((item, index) => fitsSchema(item, itemSchema(schema, index), position));
  }
  if (!isPlainObject(value)) return true;
  for (const name of toList(schema.required) ?? []) if (!Object.hasOwn(value, String(name))) return false;
  for (const [name, inner] of Object.entries(value))
    if (!fitsSchema(inner, propertySchema(schema, name), position)) return false;
  return true;
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
function hasType(value: unknown, { type }: PlainObject): boolean {
  for (const one of Array.isArray(type) ? type : [type]) if (types.get(one)?.(value) ?? true) return true;
  return false;
}

const toList = (list: unknown): readonly unknown[] | undefined => (Array.isArray(list) ? list : undefined);

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right));

/** Keys that contain the arguments of a call. */
const ARGUMENTS_KEYS = new Set([
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'tool_input',
  'function',
]);
const CALL_KEYS = new Set(['name', 'tool', 'tool_name', 'id', 'type', 'call_id', 'tool_call_id']);

/** Returns true for a key under which models write the arguments of a call. */
export const isArgumentsKey = (key: string): boolean => ARGUMENTS_KEYS.has(key);

/** Returns true for a key of a call that holds none of its arguments. */
export const isCallKey = (key: string): boolean => CALL_KEYS.has(key);

/** Returns true if an argument with this key may be a part of a call that was written in place of its arguments. */
export function mayBeWrapper(key: string, schema: unknown): boolean {
  if (!ARGUMENTS_KEYS.has(key) && !CALL_KEYS.has(key)) return false;
  const properties = toProperties(schema);
  return properties !== undefined && !Object.hasOwn(properties, key);
}

/**
 * Returns the arguments inside a whole call that the model wrote as its arguments: `{"arguments": {…}}` or
 * `{"name": …, "arguments": {…}}`. The schema decides: the inner keys must be known to it, and the outer ones unknown or
 * repeated inside, so that no argument is lost.
 *
 * @returns the same object if it is not a call.
 */
export function unwrapCall(value: Record<string, unknown>, schema: JSONSchema7): Record<string, unknown> {
  if (!Object.keys(value).some(name => ARGUMENTS_KEYS.has(name))) return value;
  const properties = toProperties(schema);
  if (properties === undefined) return value;
  let found = value;
  const outer: string[] = [];
  // A call of the chat API has its arguments inside `function`.
  for (let level = 0; level < 2; level++) {
    const keys = Object.keys(found);
    const [key, ...others] = keys.filter(
      name => ARGUMENTS_KEYS.has(name) && !Object.hasOwn(properties, name),
    );
    if (key === undefined || others.length > 0) return value;
    if (!keys.every(name => name === key || CALL_KEYS.has(name))) return value;
    outer.push(...keys.filter(name => name !== key));
    const inner = toObject(found[key]);
    if (inner === undefined) return value;
    found = inner;
    if (key !== 'function') break;
  }
  const isLost = (name: string): boolean => Object.hasOwn(properties, name) && !Object.hasOwn(found, name);
  if (outer.some(isLost)) return value;
  const isKnown = Object.keys(found).every(
    name => propertySchema(resolveSchema(schema, schema), name) !== false,
  );
  const hasKnown = Object.keys(found).some(name => Object.hasOwn(properties, name));
  const fits = hasTypesOf(repairBySchema(found, schema), schema);
  return found !== value && isKnown && fits && (hasKnown || Object.keys(found).length === 0) ? found : value;
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'string') return isPlainObject(value) ? value : undefined;
  const reading = readJson(value) ?? repairJson(value);
  if (typeof reading === 'string' || reading.isCompleted) return undefined;
  return isPlainObject(reading.value) ? reading.value : undefined;
}
