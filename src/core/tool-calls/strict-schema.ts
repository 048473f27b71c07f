import { isPlainObject, type PlainObject } from '../shared/json.js';
import { oncePerObject } from '../shared/once.js';
import { subschemasOf } from './json-schema.js';

/*
 * The rules of OpenAI's strict mode: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */

/** Keywords that strict mode accepts. A schema with any other keyword is rejected. */
const KEYWORDS: ReadonlySet<string> = new Set(
  [
    'type properties required additionalProperties items enum const anyOf description title $schema $defs',
    'definitions $ref format pattern minLength maxLength minimum maximum exclusiveMinimum',
    'exclusiveMaximum multipleOf minItems maxItems',
  ].flatMap(names => names.split(' ')),
);

/** Values of `format` that strict mode accepts. `uri` is not among them. */
const FORMATS: ReadonlySet<unknown> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);

const MAX_LEVELS = 10;
const MAX_PROPERTIES = 5_000;
const MAX_ENUM_VALUES = 1_000;
/** The characters of the values of one enum are limited if it has more values than `LARGE_ENUM`. */
const LARGE_ENUM = 250;
const MAX_LARGE_ENUM_CHARACTERS = 15_000;
/** The characters of all names of properties and definitions, and of all values of `enum` and `const`. */
const MAX_CHARACTERS = 120_000;

/** Returns true if a schema satisfies strict mode. Schemas of MCP servers rarely do. */
export const isStrictSchema = (schema: unknown): boolean => toStrictIssue(schema) === undefined;

/** Returns why strict mode rejects a schema, as the end of a sentence. Undefined if it accepts the schema. */
export const toStrictIssue = (schema: unknown): string | undefined =>
  isPlainObject(schema) ? findRootIssue(schema) : 'the schema is not an object';

/** A turn sends the same tools in every round. */
const findRootIssue = oncePerObject((schema: PlainObject): string | undefined => {
  if (schema.anyOf !== undefined) return 'the root has `anyOf`';
  if (schema.type !== 'object') return 'the type of the root is not `object`';
  const totals = { properties: 0, enumValues: 0, characters: 0 };
  return findIssue(schema, { path: [], level: 1, totals }) ?? toLimitIssue(totals);
});

interface Totals {
  properties: number;
  enumValues: number;
  characters: number;
}

interface Position {
  readonly path: readonly string[];
  /** Number of objects and arrays around the schema, and 1 for the root. */
  readonly level: number;
  readonly totals: Totals;
}

function findIssue(schema: PlainObject, { path, level, totals }: Position): string | undefined {
  const place = path.length === 0 ? 'the root' : `\`${path.join('.')}\``;
  if (level > MAX_LEVELS) return `${place} is nested deeper than ${MAX_LEVELS} levels`;
  const keyword = Object.keys(schema).find(name => !KEYWORDS.has(name));
  if (keyword !== undefined) return `${place} has \`${keyword}\``;
  if (schema.format !== undefined && !FORMATS.has(schema.format)) {
    return `${place} has the format ${JSON.stringify(schema.format)}`;
  }
  const own = toObjectIssue(schema, place) ?? countValues(schema, place, totals);
  if (own !== undefined) return own;

  for (const inner of subschemasOf(schema)) {
    const [group, name = ''] = inner.path;
    if (group === 'additionalProperties') continue;
    const innerPath = [...path, ...inner.path];
    if (!isPlainObject(inner.schema)) return `\`${innerPath.join('.')}\` is not an object`;
    if (group === 'properties') totals.properties += 1;
    if (group === 'properties' || group === '$defs' || group === 'definitions') {
      totals.characters += name.length;
    }
    // Definitions have levels of their own, and alternatives add none.
    const isNested = group === 'properties' || group === 'items';
    const innerLevel = isNested ? level + 1 : group === 'anyOf' ? level : 1;
    // The path limits the recursion where the level does not grow.
    if (innerPath.length > 10 * MAX_LEVELS) return `${place} is nested too deeply`;
    const issue = findIssue(inner.schema, { path: innerPath, level: innerLevel, totals });
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function toObjectIssue(
  { type, properties, required, additionalProperties }: PlainObject,
  place: string,
): string | undefined {
  const isObject = [type].flat().includes('object') || properties !== undefined;
  if (!isObject) return undefined;
  if (additionalProperties !== false) return `${place} allows additional properties`;
  if (!Array.isArray(required)) return `${place} has no \`required\``;
  const optional = Object.keys(properties ?? {}).find(name => !required.includes(name));
  return optional === undefined ? undefined : `the property \`${optional}\` of ${place} is optional`;
}

function countValues(schema: PlainObject, place: string, totals: Totals): string | undefined {
  const values: unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
  const characters = values.reduce<number>((sum, value) => sum + String(value).length, 0);
  totals.enumValues += values.length;
  totals.characters += characters + (schema.const === undefined ? 0 : String(schema.const).length);
  return values.length > LARGE_ENUM && characters > MAX_LARGE_ENUM_CHARACTERS
    ? `the enum of ${place} has more than ${MAX_LARGE_ENUM_CHARACTERS} characters`
    : undefined;
}

function toLimitIssue(totals: Totals): string | undefined {
  if (totals.properties > MAX_PROPERTIES) return `there are more than ${MAX_PROPERTIES} properties`;
  if (totals.enumValues > MAX_ENUM_VALUES) return `there are more than ${MAX_ENUM_VALUES} enum values`;
  return totals.characters > MAX_CHARACTERS
    ? `names and values have more than ${MAX_CHARACTERS} characters`
    : undefined;
}
