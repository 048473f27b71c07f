import { isWholeJson, isJsonNumber } from './json-scanner.js';
import { toPythonValue } from './python-literal.js';
import type { ValueType } from './schema-types.js';

/**
 * A value that is written as plain text, as JSON of the first type that it fits. What fits none is a string: the host
 * validates arguments, and a guess would hide from it what the model wrote.
 */
export function toJsonValue(text: string, types: readonly ValueType[]): string {
  // A null that is allowed comes before a string that could say it.
  const ordered = types.includes('null') ? ['null' as const, ...types] : types;
  for (const type of ordered) {
    const json = readAs[type](text, text.trim());
    if (json !== undefined) return json;
  }
  return JSON.stringify(text);
}

type Reader = (text: string, trimmed: string) => string | undefined;

/** Numbers keep the digits they are written with, as those beyond 2^53 would lose some. */
const readAs: Readonly<Record<ValueType, Reader>> = {
  text: text => JSON.stringify(text),
  quoted: (_, text) => (text.startsWith('"') && isWholeJson(text) ? text : undefined),
  null: (_, text) => (isNull(text) ? 'null' : undefined),
  integer: (_, text) => (/^-?(?:0|[1-9]\d*)$/.test(text) ? text : undefined),
  number: (_, text) => (isJsonNumber(text) && Number.isFinite(Number(text)) ? text : undefined),
  boolean: (_, text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() : undefined),
  object: (_, text) => readContainer(text, '{'),
  array: (_, text) => readContainer(text, '['),
};

/** Qwen 3.5 writes the None of Python, as its chat template does. */
export const isNull = (text: string): boolean => text === 'null' || text === 'None';

/** JSON, a Python literal, or either of them in a JSON string. */
function readContainer(text: string, bracket: '{' | '['): string | undefined {
  const inner = text.startsWith('"') ? parseString(text) : text;
  if (inner === undefined || !inner.startsWith(bracket)) return undefined;
  if (isWholeJson(inner)) return hasFiniteNumbers(inner) ? inner : undefined;
  const value = toPythonValue(inner);
  return value === undefined ? undefined : JSON.stringify(value);
}

function parseString(text: string): string | undefined {
  if (!isWholeJson(text)) return undefined;
  return String(JSON.parse(text)).trim();
}

/** `1e999` is JSON, but no number. */
function hasFiniteNumbers(json: string): boolean {
  if (!/\d[eE]\+?\d{3}|\d{300}/.test(json)) return true;
  let areFinite = true;
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) areFinite = false;
    return value;
  });
  return areFinite;
}
