import { Known, TextCursor } from '../reading/text-cursor.js';
import { isJsonNumber, isSafeJson } from './json-scanner.js';
import { createPythonReader } from './python-value.js';
import type { ValueType } from './schema-types.js';

/** The order in which types are tried: a string takes only what is of no other type. */
const ORDER: readonly ValueType[] = [
  'null',
  'boolean',
  'integer',
  'number',
  'object',
  'array',
  'quoted',
  'text',
];

/**
 * Converts a plain-text value to JSON of the first type that it fits, in the order of vLLM. A value that fits no type becomes
 * null if it is one, and otherwise a string, so that the host's validation sees what the model wrote.
 */
export function toTypedJson(text: string, types: readonly ValueType[]): string {
  const trimmed = text.trim();
  for (const type of ORDER) {
    const json = types.includes(type) ? converters[type](text, trimmed) : undefined;
    if (json !== undefined) return json;
  }
  return /^null$/i.test(trimmed) ? 'null' : JSON.stringify(text);
}

/** The start of values that are no strings. White space around them is limited, so that the test is short. */
const STARTS: Partial<Record<ValueType, RegExp>> = {
  null: /^\s{0,32}(?:n(?:u(?:ll?)?)?|N(?:o(?:ne?)?)?)?\s{0,32}$/,
  boolean: /^\s{0,32}(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?)?\s{0,32}$/i,
  integer: /^\s{0,32}-?\d{0,400}\s{0,32}$/,
  number: /^\s{0,32}-?[\d.]{0,400}(?:e[-+]?\d{0,8})?\s{0,32}$/i,
  object: /^\s{0,32}(?:$|["{])/,
  array: /^\s{0,32}(?:$|["[])/,
  quoted: /^\s{0,32}(?:$|")/,
};

/** Longer than the start of any value that is tested as a whole. */
const MAX_START = 512;

export function mayBecomeOther(text: string, types: readonly ValueType[]): boolean {
  const start = text.slice(0, MAX_START);
  return types.some(type => STARTS[type]?.test(start) === true);
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
const isNull = (text: string): boolean => text === 'null' || text === 'None';

/** Accepts JSON, a Python literal, either of them in a JSON string, or JSON with the escapes of a string. */
function toContainer(text: string, bracket: '{' | '['): string | undefined {
  const inner = text.startsWith('"') ? parseString(text) : text;
  if (inner === undefined || !inner.startsWith(bracket)) return undefined;
  if (isSafeJson(inner)) return hasFiniteNumbers(inner) ? inner : undefined;
  const json = toPythonJson(inner);
  // A set is a list.
  if (json?.startsWith(bracket) === true) return json;
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

/**
 * Returns the JSON of a Python literal. Returns undefined for other text, and for `nan` and `inf`, which JSON cannot
 * represent.
 */
function toPythonJson(text: string): string | undefined {
  // `\a`, `\v` and octal escapes are rarer than paths whose backslashes are not escaped.
  const cursor = TextCursor.of(
    text.replace(/\\([av0-7])|\\[^]/g, (escape, rare) => (rare === undefined ? escape : `\\${escape}`)),
  );
  const reader = createPythonReader(cursor);
  let json = '';
  const reading = reader.value(
    part => void (json += part),
    [],
    () => new Known(false),
  );
  const isRead = reading[Symbol.iterator]().next().value === true && cursor.rest() === '';
  return isRead && !reader.isGuess && isSafeJson(json) ? json : undefined;
}
