import { isJsonNumber, isPrototypeKey, isSafeJson } from './json-scanner.js';
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
export function toJsonValue(text: string, types: readonly ValueType[]): string {
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

/** Returns true if the text may be the start of a value of a type other than a string. */
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
