/** Types of a value that is written as plain text. `text` takes anything, `quoted` a string that is written as JSON. */
export type ValueType = 'text' | 'quoted' | 'null' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

type JsonObject = Readonly<Record<string, unknown>>;

/** The properties of a tool's arguments, or undefined where its schema lists none. */
export function toProperties(schema: unknown): JsonObject | undefined {
  const found = collectProperties(schema, schema, 0);
  return found.every(properties => Object.keys(properties).length === 0)
    ? undefined
    : Object.assign(Object.create(null), ...found);
}

function collectProperties(schema: unknown, root: unknown, depth: number): JsonObject[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const resolved = resolveReference(schema, root);
  const own = [schema.properties, resolved.properties].filter(isObject);
  return [...own, ...alternativesOf(resolved).flatMap(one => collectProperties(one, root, depth + 1))];
}

/** A schema that refers to itself says no more the deeper one looks. */
const MAX_DEPTH = 8;

/**
 * The types a schema allows, in its order: of `type`, or of the alternatives it consists of. A value takes the first
 * that it fits. Names that servers use beside those of JSON Schema (`float`, `dict`, `varchar`) count too.
 */
export function toValueTypes(schema: unknown, root: unknown): readonly ValueType[] {
  const types = new Set(collectTypes(schema, root, 0));
  return types.size === 0 ? ['text'] : [...types];
}

function collectTypes(schema: unknown, root: unknown, depth: number): ValueType[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const resolved = resolveReference(schema, root);
  const named = [resolved.type].flat().flatMap(name => (typeof name === 'string' ? [toValueType(name)] : []));
  if (named.length > 0) return named;
  if (Array.isArray(resolved.enum)) return ['text'];
  const alternatives = alternativesOf(resolved).flatMap(one => collectTypes(one, root, depth + 1));
  if (alternatives.length > 0) return alternatives;
  if ('properties' in resolved) return ['object'];
  return 'items' in resolved || 'prefixItems' in resolved ? ['array'] : [];
}

const alternativesOf = ({ anyOf, oneOf, allOf }: JsonObject): unknown[] =>
  [anyOf, oneOf, allOf].flatMap(list => (Array.isArray(list) ? list : []));

/** Follows `#/$defs/…`. What leads nowhere allows anything. */
function resolveReference(schema: JsonObject, root: unknown): JsonObject {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema;
  const steps = $ref
    .slice(2)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let target: unknown = root;
  for (const step of steps)
    target = isObject(target) && Object.hasOwn(target, step) ? target[step] : undefined;
  return isObject(target) ? target : {};
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

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
