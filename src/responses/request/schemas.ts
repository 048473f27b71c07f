import type { Warning } from '../../core/part.js';
import {
  isPlainObject,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  toStableJson,
} from '../../core/shared/json.js';
import { oncePerObject } from '../../core/shared/once.js';
import {
  branchesOf,
  mapSchema,
  resolvePointer,
  resolveSchema,
  subschemasOf,
} from '../../core/tool-calls/json-schema.js';
import { toStandardSchema } from '../../core/tool-calls/standard-schema.js';
import type { TextFormat } from '../wire.js';
import type { TextFormatOption } from './options.js';

/** A change of a schema that loses a constraint. */
type Loss = 'property-names' | 'pattern' | 'reference' | 'root-keyword' | 'root-type' | 'depth';

interface AcceptedSchema {
  readonly schema: PlainObject;
  readonly losses: readonly Loss[];
}

/** The texts of the warnings. The API does not enforce these constraints, and a host still validates them. */
const LOSS_TEXTS: Readonly<Record<Loss, string>> = {
  'property-names':
    'The Responses API does not support `propertyNames` in JSON schemas. It was removed, so the API does not enforce ' +
    'the constraint on property names.',
  pattern:
    'The Responses API does not support lookaround and invalid regular expressions in JSON schemas. These patterns were ' +
    'removed, so the API does not enforce them.',
  reference:
    'The Responses API does not support references without a target in the same JSON schema. They were removed, so the ' +
    'API allows any value in their place.',
  'root-keyword':
    'The Responses API does not support `oneOf`, `anyOf`, `allOf`, `enum` and `not` at the top level of JSON schemas. ' +
    'Their properties became optional properties of the root, so the API does not enforce the combinations.',
  'root-type':
    'The Responses API requires a schema of type `object` for the arguments of a tool. Another type was replaced by an ' +
    'object without properties, so the model passes no arguments. Put the value into a property of an object.',
  depth:
    'A JSON schema that contains itself as an object or is nested too deeply cannot be sent. Its inner part was ' +
    'replaced by a schema that allows any value. Use `$ref` for recursive schemas.',
};

/** Collects the losses of all schemas of a request, for one warning of each kind. */
export interface SchemaLosses {
  add(losses: readonly Loss[], owner: string): void;
  /** Writes one warning for each kind of loss. */
  report(warn: (warning: Warning) => void): void;
}

export function createSchemaLosses(): SchemaLosses {
  const owners = new Map<Loss, Set<string>>();
  return {
    add(losses, owner) {
      for (const loss of losses) owners.set(loss, (owners.get(loss) ?? new Set()).add(owner));
    },
    report(warn) {
      for (const [loss, names] of owners) {
        warn({ type: 'other', message: `${LOSS_TEXTS[loss]} Affected: ${[...names].join(', ')}.` });
      }
    },
  };
}

/**
 * Converts the schema of a tool's arguments to one that the API accepts: of type `object`, with `properties`. For tools
 * without arguments, MCP servers send `{}`, nothing or `type: null`.
 */
export const toParameters: (schema: unknown) => AcceptedSchema = remember(schema => {
  const { schema: root, losses } = toRoot(toAcceptedSchema(schema));
  const { type, properties } = root;
  const types = [type].flat().filter(name => name !== undefined);
  if (types.length > 0 && !types.includes('object') && !isPlainObject(properties))
    return { schema: NO_PARAMETERS, losses: types.every(name => name === 'null') ? [] : ['root-type'] };
  return { schema: toObject(root), losses };
});

/**
 * Converts the schema of a response to one that the API accepts, by the rules for tools. A response of another type than
 * `object` keeps it: some servers accept it, and an object in its place would not be what the host asked for.
 */
export const toResponseSchema: (schema: unknown) => AcceptedSchema = remember(schema => {
  const accepted = toAcceptedSchema(schema);
  if (!mayBeObject(accepted.schema, accepted.schema)) return accepted;
  const { schema: root, losses } = toRoot(accepted);
  return { schema: toObject(root), losses };
});

/** Alternatives that are searched for an object. A schema may be an alternative of itself, by reference. */
const MAX_ALTERNATIVES = 8;

function mayBeObject(schema: unknown, root: PlainObject, depth = 0): boolean {
  if (!isPlainObject(schema) || depth > MAX_ALTERNATIVES) return schema !== false;
  const { type, enum: values, const: constant, anyOf, oneOf, allOf } = resolveSchema(schema, root);
  const mayBe = (inner: unknown): boolean => mayBeObject(inner, root, depth + 1);
  return (
    (type === undefined || [type].flat().includes('object')) &&
    (constant === undefined || isPlainObject(constant)) &&
    (!Array.isArray(values) || values.some(isPlainObject)) &&
    [anyOf, oneOf].every(alternatives => !Array.isArray(alternatives) || alternatives.some(mayBe)) &&
    (!Array.isArray(allOf) || allOf.every(mayBe))
  );
}

/** Removes what the API rejects at the top level only. */
function toRoot(accepted: AcceptedSchema): AcceptedSchema {
  const schema = withoutRootKeywords(accepted.schema);
  return schema === accepted.schema ? accepted : { schema, losses: [...accepted.losses, 'root-keyword'] };
}

const toObject = (root: PlainObject): PlainObject => ({
  ...root,
  type: 'object',
  properties: objectOf(root.properties) ?? {},
});

/** Keywords of a root that leave its properties open, if there are none. */
const OPEN_KEYWORDS = ['type', 'title', 'description', '$defs', 'definitions'];

/** Returns true for a schema that allows any object. */
export const allowsAnyObject = ({ properties, additionalProperties, ...rest }: PlainObject): boolean =>
  Object.keys(objectOf(properties) ?? {}).length === 0 &&
  (additionalProperties === undefined || additionalProperties === true || isEmpty(additionalProperties)) &&
  Object.keys(rest).every(keyword => OPEN_KEYWORDS.includes(keyword));

const isEmpty = (schema: unknown): boolean => isPlainObject(schema) && Object.keys(schema).length === 0;

/** Keywords that the API rejects at the top level of a schema: langchain-ai/langchainjs#9804 */
const ROOT_KEYWORDS = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'] as const;

/**
 * Moves the properties of alternatives to the root. A property that several alternatives define differently accepts the
 * values of each. Those of `allOf` stay required.
 */
function withoutRootKeywords(root: PlainObject): PlainObject {
  if (ROOT_KEYWORDS.every(keyword => root[keyword] === undefined)) return root;
  const { oneOf, anyOf, allOf, enum: _enum, not: _not, ...rest } = root;
  const properties = new Map(
    Object.entries(objectOf(rest.properties) ?? {}).map(([name, own]) => [name, [own]]),
  );
  const required = new Set(Array.isArray(rest.required) ? rest.required : []);
  const definitions = new Map(Object.entries(objectOf(rest.$defs) ?? {}));
  const visited = new Set<PlainObject>();
  const addBranches = (branches: unknown, options: { areRequired: boolean }): void => {
    for (const branch of objectsOf(branches).map(inner => resolveSchema(inner, root))) {
      // A branch may be an alternative of itself, by reference.
      if (visited.has(branch)) continue;
      visited.add(branch);
      for (const [name, schema] of Object.entries(objectOf(branch.properties) ?? {})) {
        const known = properties.get(name) ?? [];
        const isKnown = known.some(other => toStableJson(other) === toStableJson(schema));
        if (!isKnown) properties.set(name, [...known, schema]);
      }
      for (const [name, definition] of Object.entries(objectOf(branch.$defs) ?? {}))
        if (!definitions.has(name)) definitions.set(name, definition);
      if (options.areRequired && Array.isArray(branch.required))
        branch.required.forEach(name => required.add(name));
      addBranches(branch.allOf, { areRequired: options.areRequired });
      addBranches([branch.oneOf, branch.anyOf].flat(), { areRequired: false });
    }
  };
  addBranches(allOf, { areRequired: true });
  addBranches([oneOf, anyOf].flat(), { areRequired: false });
  const merged = {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      [...properties].map(([name, [first, ...others]]) => [
        name,
        others.length === 0 ? first : { anyOf: [first, ...others] },
      ]),
    ),
    ...(required.size > 0 && { required: [...required] }),
    ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }),
  };
  return withMovedReferences(merged, { oneOf, anyOf, allOf });
}

/** Moves the removed alternatives to which references inside a schema point to its definitions. */
function withMovedReferences(
  schema: PlainObject,
  removed: Readonly<Record<'oneOf' | 'anyOf' | 'allOf', unknown>>,
): PlainObject {
  let isReferenced = false;
  const move = (inner: PlainObject): PlainObject => {
    const [, keyword, index, path] =
      /^#\/(oneOf|anyOf|allOf)\/(\d+)(?!\d)(.*)$/.exec(stringOf(inner.$ref)) ?? [];
    if (keyword === undefined) return inner;
    isReferenced = true;
    return { ...inner, $ref: `#/$defs/${keyword}_${index}${path}` };
  };
  const moved: PlainObject = { ...mapSchema(schema, move) };
  if (!isReferenced) return schema;
  const alternatives = Object.entries(removed).flatMap(([keyword, branches]) =>
    (Array.isArray(branches) ? branches : []).flatMap((branch: unknown, index) =>
      isPlainObject(branch) ? [[`${keyword}_${index}`, mapSchema(branch, move)] as const] : [],
    ),
  );
  return { ...moved, $defs: { ...objectOf(moved.$defs), ...Object.fromEntries(alternatives) } };
}

const NO_PARAMETERS = { type: 'object', properties: {} };

/** Converts a schema to one that the API accepts below the top level, or as the schema of a tool's output. */
export const toAcceptedSchema: (schema: unknown) => AcceptedSchema = remember(schema => {
  const losses = new Set<Loss>();
  const standard = toStandardSchema(schema, () => losses.add('depth'));
  const acceptance: Acceptance = { root: standard, losses, widened: new Set() };
  const accepted = mapSchema(standard, inner => toAccepted(inner, acceptance));
  return { schema: withoutRootReference({ ...accepted }), losses: [...losses] };
});

/** Converts a format of the response as the caller wrote it. */
export function toTextFormat(format: TextFormatOption, context: { losses: SchemaLosses }): TextFormat {
  if (objectOf(format.schema) === undefined) return format;
  const accepted = toResponseSchema(format.schema);
  context.losses.add(accepted.losses, 'the response');
  return { ...format, schema: accepted.schema };
}

/** Remembers results by the schema object: a turn sends the same tools in every round. */
function remember<Result extends object>(
  convert: (schema: PlainObject) => Result,
): (schema: unknown) => Result {
  const convertOnce = oncePerObject(convert);
  return schema => (isPlainObject(schema) ? convertOnce(schema) : convert({}));
}

interface Acceptance {
  readonly root: PlainObject;
  readonly losses: Set<Loss>;
  /** Converted schemas that allow more than before. */
  readonly widened: Set<unknown>;
}

/** Returns one schema without what the API rejects. The schemas inside it have been converted already. */
function toAccepted(schema: PlainObject, acceptance: Acceptance): PlainObject {
  const isWidened = (...inner: unknown[]): boolean => inner.some(one => acceptance.widened.has(one));
  const removed = new Set<string>();
  const lose = (keyword: string, loss?: Loss): void => {
    removed.add(keyword);
    if (loss !== undefined) acceptance.losses.add(loss);
  };
  const { propertyNames, pattern, patternProperties, $ref, oneOf } = schema;
  const allowsAnyName = propertyNames === true || isAnyString(propertyNames);
  if (propertyNames !== undefined) lose('propertyNames', allowsAnyName ? undefined : 'property-names');
  if (typeof pattern === 'string' && !isAcceptedPattern(pattern)) lose('pattern', 'pattern');
  if (typeof $ref === 'string' && !hasTarget($ref, acceptance.root)) lose('$ref', 'reference');
  if (schema.$dynamicRef !== undefined) lose('$dynamicRef', 'reference');
  const names = objectOf(patternProperties) ?? {};
  const rejected = Object.keys(names).filter(name => !isAcceptedPattern(name));
  if (rejected.length > 0) lose('unevaluatedProperties', 'pattern');
  // A negation and a condition would forbid more if their schemas allow more.
  if (isWidened(schema.not)) lose('not');
  if (isWidened(schema.if)) ['if', 'then', 'else'].forEach(keyword => lose(keyword));
  const overlaps = Array.isArray(oneOf) && isWidened(...oneOf);
  if (overlaps) lose('oneOf');
  const isLossy = removed.size > 0 && !(removed.size === 1 && allowsAnyName);

  if ('$schema' in schema) removed.add('$schema');
  const reference = toOnlyReference(schema);
  if (reference !== undefined) removed.add('allOf');
  const accepted =
    removed.size === 0
      ? schema
      : {
          ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => !removed.has(keyword))),
          ...(reference !== undefined && { $ref: reference }),
          ...(overlaps && schema.anyOf === undefined && { anyOf: oneOf }),
          ...(rejected.length > 0 && withoutPatterns(schema, names, rejected)),
        };
  if (isLossy || isWidened(...subschemasOf(schema).map(inner => inner.schema)))
    acceptance.widened.add(accepted);
  return accepted;
}

/** Returns true for the schema of any string, as in `z.record(z.string(), …)`. All names are strings. */
const isAnyString = (schema: unknown): boolean =>
  isEmpty(schema) || (isPlainObject(schema) && schema.type === 'string' && Object.keys(schema).length === 1);

/** Removes names that are patterns. What they allowed stays allowed. */
function withoutPatterns(
  schema: PlainObject,
  patterns: PlainObject,
  rejected: readonly string[],
): PlainObject {
  const kept = Object.entries(patterns).filter(([name]) => !rejected.includes(name));
  const allowed = [schema.additionalProperties, ...rejected.map(name => patterns[name])].filter(
    one => one !== false,
  );
  const isOpen = schema.additionalProperties === undefined || allowed.includes(true);
  return {
    patternProperties: Object.fromEntries(kept),
    additionalProperties: isOpen ? true : allowed.length === 1 ? allowed[0] : { anyOf: allowed },
  };
}

/** Returns true if a reference has a target in its schema, or in the definitions of alternatives that the root receives. */
function hasTarget(reference: string, root: PlainObject): boolean {
  if (!reference.startsWith('#')) return false;
  if (reference === '#' || reference.startsWith('#/'))
    return [root, ...branchesOf(root)].some(schema => resolvePointer(reference, schema) !== undefined);
  const hasAnchor = (schema: unknown): boolean =>
    objectOf(schema)?.$anchor === reference.slice(1) ||
    subschemasOf(schema).some(inner => hasAnchor(inner.schema));
  return hasAnchor(root);
}

/** Returns the reference of `allOf: [{ $ref }]`, in which Zod wraps recursive schemas. The API has no `allOf`. */
function toOnlyReference(schema: PlainObject): string | undefined {
  if (!Array.isArray(schema.allOf) || schema.allOf.length !== 1 || schema.$ref !== undefined)
    return undefined;
  const only: unknown = schema.allOf[0];
  if (!isPlainObject(only) || typeof only.$ref !== 'string') return undefined;
  return Object.keys(only).length === 1 ? only.$ref : undefined;
}

/** Copies the definition that a root refers to into the root, which must have the type `object`. */
function withoutRootReference(root: PlainObject): PlainObject {
  const { $ref, ...rest } = root;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return root;
  return { ...resolveSchema({ $ref }, root), ...rest };
}

/** Returns true for a valid regular expression without lookaround: `(?=`, `(?!`, `(?<=` or `(?<!`. */
function isAcceptedPattern(pattern: string): boolean {
  // Consumes escapes and classes, so that only real groups remain.
  const tokens = pattern.matchAll(/\\[^]|\[(?:\\[^]|[^\]\\])*(?:\]|$)|\(\?<?[=!]/g);
  if ([...tokens].some(([token]) => token.startsWith('(?'))) return false;
  return isRegExp(pattern, 'u') || isRegExp(pattern, '');
}

function isRegExp(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
