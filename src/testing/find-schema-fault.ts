import { isJsonObject, type JsonObject } from './json-object.js';

/**
 * Says why the API would refuse a JSON Schema, or `undefined` if it would not.
 * Strict schemas must forbid additional properties and require all the others.
 */
export function findSchemaFault(schema: unknown, { strict }: { strict: boolean }): string | undefined {
  const type = isJsonObject(schema) ? schema.type : undefined;
  if (!isJsonObject(schema) || type !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type === undefined ? 'None' : String(type)}"'.`;
  }
  if (!isJsonObject(schema.properties)) return 'In context=(), object schema missing properties.';
  return findFault(schema, { strict, context: [] });
}

type Position = { readonly strict: boolean; readonly context: readonly string[] };

function findFault(schema: unknown, position: Position): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const fault =
    findArrayFault(schema, position) ?? (position.strict ? findStrictFault(schema, position) : undefined);
  if (fault !== undefined) return fault;
  for (const [step, child] of childrenOf(schema)) {
    const childFault = findFault(child, { ...position, context: [...position.context, ...step] });
    if (childFault !== undefined) return childFault;
  }
  return undefined;
}

function findArrayFault(schema: JsonObject, { context }: Position): string | undefined {
  if (schema.type !== 'array' || 'items' in schema || 'prefixItems' in schema) return undefined;
  return `In context=${toTuple(context)}, array schema missing items.`;
}

// The formats that structured outputs know, https://platform.openai.com/docs/guides/structured-outputs.
const strictFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

function findStrictFault(schema: JsonObject, { context }: Position): string | undefined {
  const where = `In context=${toTuple(context)}`;
  if (typeof schema.format === 'string' && !strictFormats.includes(schema.format)) {
    return `${where}, '${schema.format}' is not a valid format.`;
  }
  if (schema.type !== 'object') return undefined;
  if (schema.additionalProperties !== false) {
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const names = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = names.find(name => !required.includes(name));
  if (missing === undefined) return undefined;
  return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function childrenOf(schema: JsonObject): [string[], unknown][] {
  const named = ['properties', '$defs', 'definitions'].flatMap(key =>
    Object.entries(isJsonObject(schema[key]) ? schema[key] : {}).map(([name, child]): [string[], unknown] => [
      [key, name],
      child,
    ]),
  );
  const listed = ['anyOf', 'oneOf', 'allOf'].flatMap(key =>
    (Array.isArray(schema[key]) ? schema[key] : []).map((child: unknown, index): [string[], unknown] => [
      [key, String(index)],
      child,
    ]),
  );
  return [...named, ...listed, [['items'], schema.items]];
}

/** The API prints the way to a schema as a Python tuple. */
function toTuple(context: readonly string[]): string {
  const quoted = context.map(step => `'${step}'`);
  return quoted.length === 1 ? `(${quoted[0]},)` : `(${quoted.join(', ')})`;
}
