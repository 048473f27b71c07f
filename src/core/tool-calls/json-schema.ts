import { isPlainObject, type PlainObject } from '../shared/json.js';

/** Keywords whose value is one schema; `items` of older drafts is a list of them. */
const SINGLE_KEYWORDS = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
] as const;

const LIST_KEYWORDS = ['prefixItems', 'anyOf', 'oneOf', 'allOf'] as const;

/** Keywords whose value contains schemas by name. A name may equal a keyword. */
const NAMED_KEYWORDS = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
] as const;

/** A schema directly inside another one. */
export interface Subschema {
  /** Keys from the outer schema to this one, such as `['properties', 'city']` or `['anyOf', '0']`. */
  readonly path: readonly string[];
  /** An object or a boolean, as in the outer schema. */
  readonly schema: unknown;
}

/**
 * Lists the schemas directly inside a schema. References are not followed, and keywords with plain data
 * (`const`, `default`, `enum`, `examples`) are not visited.
 */
export function subschemasOf(schema: unknown): Subschema[] {
  if (!isPlainObject(schema)) return [];
  const found: Subschema[] = [];
  const add = (value: unknown, ...path: string[]): void => {
    if (isSchema(value)) found.push({ path, schema: value });
  };
  const addList = (keyword: string, list: readonly unknown[]): void =>
    list.forEach((value, index) => add(value, keyword, String(index)));

  for (const keyword of NAMED_KEYWORDS) {
    const named = schema[keyword];
    if (isPlainObject(named)) Object.entries(named).forEach(([name, value]) => add(value, keyword, name));
  }
  for (const keyword of [...LIST_KEYWORDS, ...SINGLE_KEYWORDS]) {
    const value = schema[keyword];
    if (Array.isArray(value)) addList(keyword, value);
    else add(value, keyword);
  }
  return found;
}

/** Levels of schemas that are rewritten. A deeper schema describes no real data and would exceed the call stack. */
const MAX_DEPTH = 256;

/**
 * Rewrites a schema and all schemas inside it, the inner ones first. References are not followed: their targets are
 * rewritten where they are defined. A schema that contains itself as an object, or that is nested too deeply, is replaced
 * by `{}`, which allows any value.
 *
 * @param rewrite Returns the schema to use instead, or the same object to leave it unchanged.
 * @param onReplaced Called for each schema that is replaced by `{}`.
 * @returns the same object if nothing changed. The original is never modified.
 */
export function mapSchema(
  schema: object,
  rewrite: (schema: PlainObject) => PlainObject,
  onReplaced: () => void = () => {},
): object {
  return isPlainObject(schema) ? mapInner(schema, { rewrite, onReplaced, outer: [] }) : schema;
}

function mapInner(
  schema: PlainObject,
  {
    rewrite,
    onReplaced,
    outer,
  }: {
    rewrite: (schema: PlainObject) => PlainObject;
    onReplaced: () => void;
    outer: readonly PlainObject[];
  },
): PlainObject {
  if (outer.length >= MAX_DEPTH || outer.includes(schema)) {
    onReplaced();
    return {};
  }
  const context = { rewrite, onReplaced, outer: [...outer, schema] };
  const changed: Record<string, unknown> = {};
  const set = (keyword: string, value: unknown): void => {
    if (value !== schema[keyword]) changed[keyword] = value;
  };
  const map = (value: unknown): unknown => (isPlainObject(value) ? mapInner(value, context) : value);

  for (const keyword of [...LIST_KEYWORDS, ...SINGLE_KEYWORDS]) {
    const value = schema[keyword];
    set(keyword, Array.isArray(value) ? mapList(value, map) : map(value));
  }
  for (const keyword of NAMED_KEYWORDS) {
    const named = schema[keyword];
    if (isPlainObject(named)) set(keyword, mapValues(named, map));
  }
  return rewrite(Object.keys(changed).length === 0 ? schema : { ...schema, ...changed });
}

function mapList(list: readonly unknown[], map: (value: unknown) => unknown): readonly unknown[] {
  const mapped = list.map(map);
  return mapped.every((value, index) => value === list[index]) ? list : mapped;
}

function mapValues(record: PlainObject, map: (value: unknown) => unknown): PlainObject {
  const mapped = Object.entries(record).map(([name, value]) => [name, map(value)] as const);
  return mapped.every(([name, value]) => value === record[name]) ? record : Object.fromEntries(mapped);
}

/**
 * Returns the schema that a local `$ref` points to, following references to references. Any other schema is returned
 * unchanged. A circular reference, or one without a target, resolves to `{}`, which allows any value. External
 * references are returned unresolved.
 */
export function resolveSchema(schema: unknown, root: unknown): PlainObject {
  const visited = new Set<unknown>();
  let current = schema;
  while (isPlainObject(current) && typeof current.$ref === 'string' && current.$ref.startsWith('#')) {
    if (visited.has(current)) return {};
    visited.add(current);
    current = resolvePointer(current.$ref, root);
  }
  return isPlainObject(current) ? current : {};
}

/** Follows a JSON pointer in the form of a URI fragment, such as `#/$defs/city`. Returns undefined without a target. */
export function resolvePointer(pointer: string, root: unknown): unknown {
  if (pointer !== '#' && !pointer.startsWith('#/')) return undefined; // an anchor
  let found = root;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null) return undefined;
    const inner = found as PlainObject;
    found = Object.hasOwn(inner, key) ? inner[key] : ownValue(inner, decodeFragment(key));
  }
  return found;
}

const ownValue = (record: PlainObject, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

function decodeFragment(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // a percent sign that encodes nothing
  }
}

/** Returns the alternative schemas of a value: those of `anyOf` and `oneOf`. */
export const alternativesOf = (schema: PlainObject): unknown[] =>
  [schema.anyOf, schema.oneOf].flatMap(toSchemas);

/** Returns the schemas that a schema is composed of: its alternatives and those of `allOf`. */
export const branchesOf = (schema: PlainObject): unknown[] => [
  ...alternativesOf(schema),
  ...toSchemas(schema.allOf),
];

/** A schema that refers to itself adds nothing at greater depth. */
const MAX_REFERENCES = 8;

/** Returns the properties of an object, such as a tool's arguments, or undefined if its schema lists none. */
export function toProperties(schema: unknown, root: unknown = schema): PlainObject | undefined {
  const found = collectProperties(schema, root, 0);
  return found.every(properties => Object.keys(properties).length === 0)
    ? undefined
    : Object.assign(Object.create(null), ...found);
}

function collectProperties(schema: unknown, root: unknown, depth: number): PlainObject[] {
  if (!isPlainObject(schema) || depth > MAX_REFERENCES) return [];
  const resolved = resolveSchema(schema, root);
  const properties = [schema.properties, resolved.properties].filter(isPlainObject);
  return [
    ...properties,
    ...branchesOf(resolved).flatMap(branch => collectProperties(branch, root, depth + 1)),
  ];
}

/** Returns the schema of one property; `true` if nothing is known about it. */
export function propertySchema(schema: PlainObject, name: string): unknown {
  const { properties, additionalProperties, patternProperties } = schema;
  if (isPlainObject(properties) && Object.hasOwn(properties, name)) return properties[name] ?? true;
  // Validators, not this function, decide whether an undeclared property is allowed.
  return patternProperties === undefined && isPlainObject(additionalProperties) ? additionalProperties : true;
}

/** Returns the schema of one array item; `true` if nothing is known about it. */
export function itemSchema(schema: PlainObject, index: number): unknown {
  const { items, prefixItems = items } = schema;
  if (Array.isArray(prefixItems)) return prefixItems[index] ?? true;
  return Array.isArray(items) ? true : (items ?? true);
}

const isSchema = (value: unknown): boolean => isPlainObject(value) || typeof value === 'boolean';

const toSchemas = (list: unknown): unknown[] => (Array.isArray(list) ? list.filter(isSchema) : []);
