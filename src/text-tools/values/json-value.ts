import { isJsonNumber, isSafeJson } from './json-scanner.js';
import { toPythonValue } from './python-literal.js';
import type { ValueType } from './schema-types.js';

/**
 * Converts a plain-text value to JSON of the first type that it fits. A value that fits no type becomes a string, so
 * that the host's validation sees what the model wrote.
 */
export function toJsonValue(text: string, types: readonly ValueType[]): string {
  // An allowed null takes precedence over a string.
  const ordered = types.includes('null') ? ['null' as const, ...types] : types;
  for (const type of ordered) {
    const json = converters[type](text, text.trim());
    if (json !== undefined) return json;
  }
  return JSON.stringify(text);
}

type Converter = (text: string, trimmed: string) => string | undefined;

/** Numbers keep their digits, because parsing loses those beyond 2^53. */
const converters: Readonly<Record<ValueType, Converter>> = {
  text: text => JSON.stringify(text),
  quoted: (_, text) => (text.startsWith('"') && isSafeJson(text) ? text : undefined),
  null: (_, text) => (isNull(text) ? 'null' : undefined),
  integer: (_, text) => (/^-?(?:0|[1-9]\d*)$/.test(text) ? text : undefined),
  number: (_, text) => (isJsonNumber(text) && Number.isFinite(Number(text)) ? text : undefined),
  boolean: (_, text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() : undefined),
  object: (_, text) => toContainer(text, '{'),
  array: (_, text) => toContainer(text, '['),
};

/** Accepts Python's None too: the chat template of Qwen 3.5 writes it. */
export const isNull = (text: string): boolean => text === 'null' || text === 'None';

/** Accepts JSON, a Python literal, either of them in a JSON string, or JSON with the escapes of a string. */
function toContainer(text: string, bracket: '{' | '['): string | undefined {
  const inner = text.startsWith('"') ? parseString(text) : text;
  if (inner === undefined || !inner.startsWith(bracket)) return undefined;
  if (isSafeJson(inner)) return hasFiniteNumbers(inner) ? inner : undefined;
  const value = toPythonValue(inner);
  if (value !== undefined) return JSON.stringify(value);
  // GLM escapes the quotes of its JSON, as in `[{\"a\": 1}]`.
  const unescaped = inner.includes('\\"') ? parseString(`"${inner}"`) : undefined;
  return unescaped !== undefined && isSafeJson(unescaped) && hasFiniteNumbers(unescaped)
    ? unescaped
    : undefined;
}

function parseString(text: string): string | undefined {
  if (!isSafeJson(text)) return undefined;
  return String(JSON.parse(text)).trim();
}

/** Returns false for numbers such as `1e999`, which are valid JSON but not finite. */
function hasFiniteNumbers(json: string): boolean {
  if (!/\d[eE]\+?\d{3}|\d{300}/.test(json)) return true;
  let areFinite = true;
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) areFinite = false;
    return value;
  });
  return areFinite;
}
