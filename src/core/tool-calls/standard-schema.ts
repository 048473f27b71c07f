import { isPlainObject, objectOf, type PlainObject } from '../shared/json.js';

/*
 * JSON Schemas as MCP servers and hosts write them: of older drafts, of OpenAPI, or careless. The Responses API
 * validates the schema of each tool with the meta-schema of draft 2020-12, also with `strict: false`, and one invalid
 * schema fails the request with the tools of all servers: https://json-schema.org/draft/2020-12/release-notes
 */

/** Levels of schemas that are rewritten. A deeper schema describes no real data and would exceed the call stack. */
const MAX_DEPTH = 256;

/**
 * Converts a schema to draft 2020-12. No constraint is added: every value that the schema allows, its conversion allows.
 *
 * @param onReplaced Called for each schema that contains itself as an object or is nested too deeply. It becomes `{}`.
 * @returns the same object if it is valid already. The original is never modified.
 */
export function toStandardSchema(schema: PlainObject, onReplaced: () => void = () => {}): PlainObject {
  const convert = createConverter(onReplaced);
  const converted = convert(schema);
  return converted === schema ? schema : withMovedTuples(converted);
}

/** Converts the schemas inside a schema. */
interface Converter {
  /** Returns a schema for any value that stands in the place of one. A boolean is a schema. */
  convert(value: unknown): unknown;
  /** Constraints that were removed so far because they are not clear. */
  widenings: number;
}

function createConverter(onReplaced: () => void): (schema: PlainObject) => PlainObject {
  const outer: PlainObject[] = [];
  const known = new Map<PlainObject, { converted: PlainObject; widenings: number }>();
  const convertObject = (schema: PlainObject): PlainObject => {
    if (outer.length >= MAX_DEPTH || outer.includes(schema)) {
      onReplaced();
      converter.widenings += 1;
      return {};
    }
    const before = known.get(schema);
    if (before !== undefined) {
      converter.widenings += before.widenings;
      return before.converted;
    }
    const { widenings } = converter;
    outer.push(schema);
    const converted = rewrite(schema, converter);
    outer.pop();
    known.set(schema, { converted, widenings: converter.widenings - widenings });
    return converted;
  };
  const convert = (value: unknown): unknown => {
    if (isPlainObject(value)) return convertObject(value);
    if (typeof value === 'boolean') return value;
    if (Array.isArray(value) && value.some(isPlainObject)) return { anyOf: value.map(convert) };
    return convertObject({ type: value });
  };
  const converter: Converter = { widenings: 0, convert };
  return convertObject;
}

/** Returns a schema with its keywords converted, and the same object if all of them are valid. */
function rewrite(schema: PlainObject, converter: Converter): PlainObject {
  const changed = new Map<string, unknown>();
  let overlapping: unknown;
  for (const [keyword, value] of Object.entries(schema)) {
    const { widenings } = converter;
    const valid = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value, converter) : value;
    if (valid !== value) changed.set(keyword, valid);
    if (valid === undefined && !ANNOTATIONS.has(keyword)) converter.widenings += 1;
    // A value may match two alternatives if one of them allows more than before.
    if (keyword !== 'oneOf' || converter.widenings === widenings) continue;
    changed.set('oneOf', undefined);
    if (schema.anyOf === undefined) overlapping = valid;
  }
  if (overlapping !== undefined)
    return rewrite({ ...withChanges(schema, changed), anyOf: overlapping }, converter);
  const checked = changed.size === 0 ? schema : withChanges(schema, changed);
  return withNull(withLimits(withItems(withRequired(checked, schema), converter)));
}

/** Returns a copy with other values. An undefined value removes its key. */
const withChanges = (schema: PlainObject, changes: ReadonlyMap<string, unknown>): PlainObject =>
  Object.fromEntries(
    Object.entries(schema)
      .map(([key, value]) => [key, changes.has(key) ? changes.get(key) : value] as const)
      .filter(([, value]) => value !== undefined),
  );

/** Returns the valid value of a keyword, or undefined to remove it. */
type Keyword = (value: unknown, converter: Converter) => unknown;

const one: Keyword = (value, converter) => (value === null ? undefined : converter.convert(value));

/** A schema that is negated, or a condition. It is removed if it would allow more than before. */
const condition: Keyword = (value, converter) => {
  const { widenings } = converter;
  const converted = isPlainObject(value) || typeof value === 'boolean' ? converter.convert(value) : undefined;
  return converter.widenings === widenings ? converted : undefined;
};

const list: Keyword = (value, converter) => {
  const schemas = isPlainObject(value) ? [value] : value;
  if (!Array.isArray(schemas) || schemas.length === 0) return undefined;
  const converted = schemas.map(schema => converter.convert(schema));
  return Array.isArray(value) && converted.every((schema, index) => schema === value[index])
    ? value
    : converted;
};

const named: Keyword = (value, converter) => {
  if (!isPlainObject(value)) return undefined;
  const converted = Object.entries(value).map(([name, schema]) => [name, converter.convert(schema)] as const);
  return converted.every(([name, schema]) => schema === value[name]) ? value : Object.fromEntries(converted);
};

const text: Keyword = value => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) && value.every(line => typeof line === 'string') ? value.join(' ') : undefined;
};

const flag: Keyword = value =>
  typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined;

const number: Keyword = value => {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
};

const count: Keyword = (value, converter) => {
  const parsed = number(value, converter);
  return Number.isInteger(parsed) && Number(parsed) >= 0 ? parsed : undefined;
};

/** Draft 4 has a boolean, which `withLimits` reads. */
const exclusive: Keyword = (value, converter) =>
  typeof value === 'boolean' ? value : number(value, converter);

/** Keywords of draft 2020-12 whose values its meta-schema checks, and those of older drafts in their place. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: value => (isType(value) ? value : toType(value)),
  items: (value, converter) => (Array.isArray(value) ? value : converter.convert(value)),
  additionalProperties: (value, converter) => (typeof value === 'string' ? flag : one)(value, converter),
  contains: one,
  unevaluatedItems: one,
  unevaluatedProperties: one,
  propertyNames: one,
  not: condition,
  if: condition,
  then: one,
  else: one,
  anyOf: list,
  oneOf: list,
  allOf: list,
  prefixItems: list,
  properties: named,
  patternProperties: named,
  dependentSchemas: named,
  $defs: named,
  definitions: named,
  dependencies: (value, converter) =>
    isPlainObject(value) && Object.values(value).every(isPlainObject) ? named(value, converter) : value,
  enum: value => (Array.isArray(value) ? value : undefined),
  examples: value => (Array.isArray(value) ? value : [value]),
  title: text,
  description: text,
  $comment: text,
  format: value => (typeof value === 'string' ? value : undefined),
  pattern: value => (typeof value === 'string' ? value : undefined),
  $ref: value => (typeof value === 'string' ? value : undefined),
  $anchor: value => (typeof value === 'string' ? value : undefined),
  $id: value => (typeof value === 'string' ? value : undefined),
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  uniqueItems: flag,
  minimum: number,
  maximum: number,
  exclusiveMinimum: exclusive,
  exclusiveMaximum: exclusive,
  multipleOf: (value, converter) => (Number(value) > 0 ? number(value, converter) : undefined),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
};

/** Keywords without which the same values are allowed. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description $comment format examples deprecated readOnly writeOnly $anchor $id $defs definitions'.split(
    ' ',
  ),
);

/** Names of types in other languages and drafts. Any other unknown type may mean any value. */
const TYPES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    string: 'string str text',
    number: 'number float double decimal',
    integer: 'integer int int32 int64 long',
    boolean: 'boolean bool',
    object: 'object dict map',
    array: 'array list',
    null: 'null none',
  }).flatMap(([type, spellings]) => spellings.split(' ').map(spelling => [spelling, type] as const)),
);

/** Returns the types that other names mean, or undefined if one of them is not clear. */
function toType(type: unknown): string | string[] | undefined {
  const types = [type].flat().map(name => TYPES.get(typeof name === 'string' ? name.toLowerCase() : name));
  const clear = types.filter(name => name !== undefined);
  if (clear.length === 0 || clear.length < types.length) return undefined;
  return Array.isArray(type) ? [...new Set(clear)] : clear[0];
}

const isType = (type: unknown): boolean =>
  Array.isArray(type)
    ? type.length > 0 && new Set(type).size === type.length && type.every(isTypeName)
    : isTypeName(type);

const isTypeName = (name: unknown): boolean => typeof name === 'string' && TYPES.get(name) === name;

/** Moves `required: true` of a property, as in draft 3, to the list of its object. */
function withRequired(schema: PlainObject, original: PlainObject): PlainObject {
  const own = Object.entries(objectOf(original.properties) ?? {});
  const moved = own.flatMap(([name, inner]) => (objectOf(inner)?.required === true ? [name] : []));
  const listed = names(original.required);
  if (moved.length === 0 && listed === original.required) return schema;
  const { required: _, ...rest } = schema;
  const required = [...new Set([...(listed ?? []), ...moved])];
  return required.length === 0 ? rest : { ...rest, required };
}

/** Returns a list of names without doubles. */
function names(value: unknown): readonly unknown[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  const unique = [...new Set(value.filter(name => typeof name === 'string'))];
  return unique.length === value.length ? value : unique;
}

/** Converts tuples of older drafts, and gives each array `items`, which the API requires. */
function withItems(schema: PlainObject, converter: Converter): PlainObject {
  const { items, additionalItems, ...rest } = schema;
  if (Array.isArray(items)) {
    return {
      ...rest,
      ...(items.length > 0 &&
        rest.prefixItems === undefined && { prefixItems: items.map(converter.convert) }),
      items: additionalItems === undefined ? {} : converter.convert(additionalItems),
    };
  }
  return items === undefined && [schema.type].flat().includes('array') ? { ...schema, items: {} } : schema;
}

/** Converts the boolean limits of draft 4. */
function withLimits(schema: PlainObject): PlainObject {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  return {
    ...rest,
    ...toLimit({ minimum, exclusiveMinimum }, ['minimum', 'exclusiveMinimum']),
    ...toLimit({ maximum, exclusiveMaximum }, ['maximum', 'exclusiveMaximum']),
  };
}

function toLimit(schema: PlainObject, [limit, exclusiveLimit]: readonly [string, string]): PlainObject {
  const { [limit]: inclusive, [exclusiveLimit]: isExclusive } = schema;
  if (isExclusive === true) return inclusive === undefined ? {} : { [exclusiveLimit]: inclusive };
  return Object.fromEntries(
    Object.entries({ [limit]: inclusive, [exclusiveLimit]: isExclusive }).filter(
      ([, value]) => typeof value === 'number',
    ),
  );
}

/** Converts `nullable: true` of OpenAPI 3.0, which JSON Schema does not have. */
function withNull(schema: PlainObject): PlainObject {
  if (schema.nullable !== true) return schema;
  const { nullable: _, type, enum: values, anyOf, oneOf, $ref, const: constant, ...rest } = schema;
  const isNull = { type: 'null' };
  const kept = {
    ...rest,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...values, null] }),
    ...(constant !== undefined && { enum: [constant, null] }),
  };
  if (Array.isArray(anyOf))
    return { ...kept, anyOf: [...anyOf, isNull], ...(oneOf !== undefined && { oneOf }) };
  if (Array.isArray(oneOf)) return { ...kept, anyOf: [...oneOf, isNull] };
  if ($ref !== undefined) return { ...kept, anyOf: [{ $ref }, isNull] };
  return kept;
}

/** Corrects references into tuples, which have moved. */
function withMovedTuples(root: PlainObject): PlainObject {
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? inner.replace(/\/items\/(?=\d)/g, '/prefixItems/')
          : move(inner),
      ]),
    );
  };
  return /"\$ref":"#[^"]*\/items\/\d/.test(JSON.stringify(root)) ? (move(root) as PlainObject) : root;
}
