import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';
import { hasTypesOf, repairBySchema } from './schema-repair.js';
import { isTruncatedJson, type JsonReading, readJson, repairJson } from './json-repair.js';

/** Options of `parseToolArguments`. */
export interface ParseToolArgumentsOptions {
  /**
   * JSON Schema of the arguments. Strings are parsed as JSON where the schema does not allow a string: `"3"` becomes 3 if
   * a number is expected. @default strings stay strings
   */
  schema?: JSONSchema7;
}

/** The arguments of a call, or the reason why they cannot be used. */
export type ParsedToolArguments =
  | {
      readonly success: true;
      readonly input: Record<string, unknown>;
      /** The input as JSON, with all digits of numbers that JavaScript cannot represent. */
      readonly json: string;
      /** True if the text was not a JSON object that fits the schema. */
      readonly isRepaired: boolean;
    }
  | {
      readonly success: false;
      /** What was expected and what was received, as text for the model. */
      readonly reason: string;
    };

/**
 * Parses the arguments of a call as an object. An empty text becomes `{}`, and so does `null` if the schema requires no
 * property. Double-encoded and slightly malformed JSON is repaired.
 *
 * Truncated arguments are rejected: half a path, half a number or half a list must not run. Missing closing brackets are
 * added only after a complete value, and only if the result has the types and required properties of the schema.
 */
export function parseToolArguments(
  text: string,
  { schema }: ParseToolArgumentsOptions = {},
): ParsedToolArguments {
  if (text.trim() === '') return { success: true, input: {}, json: '{}', isRepaired: text !== '' };
  const valid = readJson(text);
  const { reading, innerText } = unwrapTexts(valid ?? repairJson(text), text);
  const value = isNothing(reading?.value) && acceptsNothing(schema) ? {} : reading?.value;
  if (reading === undefined && isTruncatedJson(innerText)) return failTruncated(text);
  if (!isPlainObject(value)) return fail('a JSON object', text);
  if (hasPrototypeKey(value)) return fail('no prototype key', text);
  const compact = toJson(value);
  if (compact === undefined) return fail('fewer levels', text);

  const repaired = schema === undefined ? value : repairBySchema(value, schema);
  if (reading?.isCompleted && schema !== undefined && !hasTypesOf(repaired, schema))
    return failTruncated(text);
  const wasRepaired = repaired !== value;
  const exact = reading !== undefined && hasLongNumber(compact) ? reading.json : compact;
  return {
    success: true,
    input: repaired,
    json: wasRepaired ? JSON.stringify(repaired) : exact,
    isRepaired: wasRepaired || reading !== valid || value !== reading?.value,
  };
}

const fail = (expected: string, text: string): ParsedToolArguments => ({
  success: false,
  reason: `expected ${expected}, got ${excerpt(text)}`,
});

const failTruncated = (text: string): ParsedToolArguments => ({
  success: false,
  reason: `expected complete JSON, got arguments that look truncated: ${text.length > 100 ? `…${text.slice(-100)}` : text}`,
});

const isNothing = (value: unknown): boolean => value === null || value === '';

/** Returns true if the schema accepts a call without arguments. */
const acceptsNothing = (schema: JSONSchema7 | undefined): boolean =>
  schema !== undefined && hasTypesOf({}, schema);

/** Decodes JSON that was encoded as a JSON string, up to three times. Returns the innermost text with its value. */
function unwrapTexts(
  outer: JsonReading | undefined,
  text: string,
): { reading: JsonReading | undefined; innerText: string } {
  let reading = outer;
  let innerText = text;
  for (let level = 0; level < 3 && typeof reading?.value === 'string' && reading.value !== ''; level++) {
    innerText = reading.value;
    reading = readJson(innerText) ?? repairJson(innerText);
  }
  return { reading, innerText };
}

/** Returns undefined for values that are nested too deep. They can be parsed, but writing them would throw later. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Returns true if a number could lose digits in JavaScript. Digits inside a string are a harmless false positive. */
const hasLongNumber = (json: string): boolean => /\d{16}/.test(json);

/** Returns true if a key could pollute a prototype when the object is copied. */
function hasPrototypeKey(value: object): boolean {
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, inner] of Object.entries(next)) {
      if (typeof inner !== 'object' || inner === null) {
        if (key === '__proto__') return true;
        continue;
      }
      if (key === '__proto__' || (key === 'constructor' && Object.hasOwn(inner, 'prototype'))) return true;
      open.push(inner);
    }
  }
  return false;
}

const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
