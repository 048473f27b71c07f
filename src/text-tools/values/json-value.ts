import { isJsonNumber, isPrototypeKey, isSafeJson } from './json-scanner.js';
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

/**
 * Parses a Python literal of dicts, lists, tuples, strings, numbers, True, False and None. Returns undefined for other
 * text, including numbers with underscores, and `nan` and `inf`, which JSON cannot represent.
 */
function toPythonValue(text: string): unknown {
  const tokens = text.match(TOKEN) ?? [];
  // `match` skips characters that belong to no token.
  const length = tokens.reduce((sum, token) => sum + token.length, 0);
  if (length !== text.length) return undefined;
  const reader = createReader(tokens.filter(token => token.trim() !== ''));
  try {
    const value = reader.value(0);
    return reader.isAtEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof LiteralError) return undefined;
    throw error;
  }
}

const TOKEN = /\s+|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"|[-+.\w]+|[{}[\](),:]/g;
const MAX_DEPTH = 256;

class LiteralError extends Error {}

function createReader(tokens: readonly string[]) {
  let index = 0;

  function value(depth: number): unknown {
    const token = tokens[index++];
    if (token === undefined || depth > MAX_DEPTH) throw new LiteralError();
    if (token === '{') return readDict(depth);
    if (token === '[') return readItems(']', depth);
    if (token === '(') return readItems(')', depth);
    if (/^['"]/.test(token)) return toString(token.slice(1, -1));
    return toScalar(token);
  }

  function readDict(depth: number): Record<string, unknown> {
    const dict: Record<string, unknown> = {};
    while (!takes('}')) {
      const key = value(depth + 1);
      if (typeof key === 'object' || isPrototypeKey(String(key)) || !takes(':')) throw new LiteralError();
      dict[String(key)] = value(depth + 1);
      if (!takes(',') && tokens[index] !== '}') throw new LiteralError();
    }
    return dict;
  }

  function readItems(end: string, depth: number): unknown[] {
    const items: unknown[] = [];
    while (!takes(end)) {
      items.push(value(depth + 1));
      if (!takes(',') && tokens[index] !== end) throw new LiteralError();
    }
    return items;
  }

  function takes(token: string): boolean {
    if (tokens[index] !== token) return false;
    index++;
    return true;
  }

  return { value, isAtEnd: () => index === tokens.length };
}

const words: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};

function toScalar(token: string): unknown {
  if (Object.hasOwn(words, token)) return words[token];
  const number = Number(token);
  if (!isJsonNumber(token) || !Number.isFinite(number)) throw new LiteralError();
  return number;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' };

function toString(written: string): string {
  return written.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([^]))/gi,
    (_, x, u, long, other) => {
      const code: string | undefined = x ?? u ?? long;
      if (code === undefined) return escapes[other] ?? (/['"\\]/.test(other) ? other : `\\${other}`);
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff) throw new LiteralError();
      return String.fromCodePoint(point);
    },
  );
}
