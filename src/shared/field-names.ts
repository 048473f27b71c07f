import { asJson, isPlainObject, type JSONValue, type PlainObject } from './json.js';

/*
 * The API names fields in snake case, the AI SDK in camel case.
 */

/**
 * Returns an object with the field names of the API at every level. `unchanged` contains fields whose inner names belong to
 * the host, such as headers.
 */
export const toWireNames = (fields: PlainObject, unchanged: readonly string[] = []): PlainObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      toSnakeCase(name),
      unchanged.includes(name) ? value : toNestedWireNames(value),
    ]),
  );

function toNestedWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toNestedWireNames);
  return isPlainObject(value) ? toWireNames(value) : value;
}

/** Returns names that are not in camel case unchanged. */
function toSnakeCase(name: string): string {
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) return name;
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Returns a JSON value with the field names of the AI SDK at every level. */
export function toSdkNames(value: unknown): JSONValue {
  if (Array.isArray(value)) return value.map(toSdkNames);
  if (!isPlainObject(value)) return asJson(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [toCamelCase(name), toSdkNames(field)]),
  );
}

/** Returns the name of a field in the AI SDK. The parts of a path are joined, as in `textVerbosity`. */
export const toCamelCase = (name: string): string =>
  name.replace(/[._]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
