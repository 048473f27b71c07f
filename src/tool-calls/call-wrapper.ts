import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';
import { readJson, repairJson } from './json-repair.js';
import { propertySchema, resolveSchema, toProperties } from './json-schema.js';
import { hasTypesOf, repairBySchema } from './schema-repair.js';

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
/** Other keys of a call. */
const CALL_KEYS = new Set(['name', 'tool', 'tool_name', 'id', 'type', 'call_id', 'tool_call_id']);

/** Returns true if an argument with this key may be a part of a call that was written in place of its arguments. */
export function mayBeWrapper(key: string, schema: unknown): boolean {
  if (!ARGUMENTS_KEYS.has(key) && !CALL_KEYS.has(key)) return false;
  const properties = toProperties(schema);
  return properties !== undefined && !Object.hasOwn(properties, key);
}

/**
 * Returns the arguments inside a whole call that the model wrote as its arguments: `{"arguments": {…}}` or
 * `{"name": …, "arguments": {…}}`. The schema decides: the outer keys must be unknown to it, and the inner ones known.
 *
 * @returns the same object if it is not a call.
 */
export function unwrapCall(value: Record<string, unknown>, schema: JSONSchema7): Record<string, unknown> {
  const properties = toProperties(schema);
  if (properties === undefined) return value;
  let found = value;
  // A call of the chat API has its arguments inside `function`.
  for (let level = 0; level < 2; level++) {
    const keys = Object.keys(found);
    const [key, ...others] = keys.filter(
      name => ARGUMENTS_KEYS.has(name) && !Object.hasOwn(properties, name),
    );
    if (key === undefined || others.length > 0) return value;
    if (!keys.every(name => name === key || CALL_KEYS.has(name))) return value;
    const inner = toObject(found[key]);
    if (inner === undefined) return value;
    found = inner;
    if (key !== 'function') break;
  }
  const isKnown = Object.keys(found).every(
    name => propertySchema(resolveSchema(schema, schema), name) !== false,
  );
  const hasKnown = Object.keys(found).some(name => Object.hasOwn(properties, name));
  const fits = hasTypesOf(repairBySchema(found, schema), schema);
  return found !== value && isKnown && fits && (hasKnown || Object.keys(found).length === 0) ? found : value;
}

/** Returns an object, or the object in a JSON string. */
function toObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'string') return isPlainObject(value) ? value : undefined;
  const reading = readJson(value) ?? repairJson(value);
  if (typeof reading === 'string' || reading.isCompleted) return undefined;
  return isPlainObject(reading.value) ? reading.value : undefined;
}
