import { KelivoError, type KelivoErrorCode, messageOf } from './errors.js';
import { APICallError } from '@ai-sdk/provider';

/** A value that JSON can represent. */
export type JSONValue = null | string | number | boolean | JSONObject | JSONValue[];

/** An object that JSON can represent. */
export interface JSONObject {
  [key: string]: JSONValue;
}

/** An object whose fields have not been checked. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Returns true for an object that is neither `null` nor an array. */
export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/*
 * Readers for fields of untrusted JSON. They treat a field of the wrong type as missing, so that one malformed event
 * does not end the stream.
 */

export const objectOf = (value: unknown): PlainObject | undefined =>
  isPlainObject(value) ? value : undefined;

/** Returns the plain objects of an array, and an empty array for other values. */
export const objectsOf = (value: unknown): PlainObject[] =>
  Array.isArray(value) ? value.filter(isPlainObject) : [];

export const isNonEmptyArray = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > 0;

/** Returns a string as it is, and `''` for other values. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns a non-empty string. An empty id counts as missing: responses.js and xAI send empty ids. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Types a value that was produced by `JSON.parse`. */
export const asJson = (value: unknown): JSONValue => value as JSONValue;

/** Parses JSON. Returns undefined, which is not a JSON value, for text that is not valid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns true for text that is one complete JSON value. */
export const isWholeJson = (text: string): boolean => tryParseJson(text) !== undefined;

/**
 * Returns true if JSON text nests arrays and objects deeper than `limit`. Scans the text, because parsing alone costs
 * dozens of bytes for every bracket.
 */
export function isNestedDeeper(json: string, limit: number): boolean {
  if (json.length <= limit) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at + 1);
        break;
      case '[':
      case '{':
        if (++depth > limit) return true;
        break;
      case ']':
      case '}':
        depth--;
        break;
    }
  }
  return false;
}

/** Returns the position of the quotation mark that ends a string. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (end - backslashes > start && json[end - backslashes - 1] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/**
 * Replaces halves of surrogate pairs in JSON text, which servers reject. `JSON.stringify` escapes them, and nothing else of
 * this form.
 */
export const toWellFormedJson = (json: string): string =>
  json.includes('\\ud') ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd') : json;

const SURROGATE = /[\ud800-\udfff]/;

/** Number of levels that the JSON of a value has at most: servers and hosts reject deeper values. */
const MAX_LEVELS = 200;

/**
 * Converts any value to a value that JSON can represent. Nothing fails: what JSON lacks is converted, or replaced by a note.
 * `replaced` receives the kinds of these values.
 */
export function toJsonValue(
  value: unknown,
  replaced: (kind: string) => void = () => {},
  path: unknown[] = [],
): JSONValue | undefined {
  switch (typeof value) {
    case 'string': {
      // Most texts have no surrogates at all.
      const text = SURROGATE.test(value) ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value;
      if (text !== value) replaced('half a surrogate pair');
      return text;
    }
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'boolean':
      return value;
    case 'bigint':
      replaced('BigInt');
      return String(value);
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  const convert = (inner: unknown): JSONValue | undefined => toJsonValue(inner, replaced, path);
  const note = (kind: string): string => {
    replaced(kind);
    return `[${kind}]`;
  };
  if (path.includes(value)) return note('circular reference');
  if (path.length >= MAX_LEVELS) return note('more levels');
  path.push(value);
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON() as unknown);
    if (Array.isArray(value)) return value.map(item => convert(item) ?? null);
    if (value instanceof Map || value instanceof Set || value instanceof Error)
      replaced(value.constructor.name);
    if (value instanceof Map) {
      const entries = [...value.entries()];
      return entries.every(([key]) => typeof key === 'string')
        ? convert(Object.fromEntries(entries))
        : convert(entries);
    }
    if (value instanceof Set) return convert([...value]);
    if (value instanceof Error) return convert({ name: value.name, message: value.message });
    if (ArrayBuffer.isView(value)) return note(`${value.byteLength} bytes`);
    if (typeof Response === 'function' && value instanceof Response) return note(`response ${value.status}`);
    if (Symbol.iterator in value || Symbol.asyncIterator in value) return note('iterator');
    const fields: [name: string, json: JSONValue][] = [];
    for (const [name, field] of Object.entries(value)) {
      const json = convert(field);
      if (json !== undefined) fields.push([String(convert(name)), json]);
    }
    return Object.fromEntries(fields);
  } catch (error) {
    return note(`unreadable: ${messageOf(error)}`);
  } finally {
    path.pop();
  }
}

/** Writes JSON with sorted object keys, so that equal values produce equal text. */
export function toStableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/*
 * Plain JSON for values that JSON cannot represent. Such a value becomes an object with one tag, its type, and a value.
 * Stores and workflow engines keep plain JSON only, and each of them changes other values in a different way.
 */

/** Returns true for equal JSON values. An undefined field equals a missing one. What is not JSON equals only itself. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isEqualArray(a, b);
  return isJsonObject(a) && isJsonObject(b) && hasFieldsOf(a, b) && hasNoOther(b, a);
}

function isEqualArray(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!isEqualJson(a[index], b[index])) return false;
  return true;
}

function hasFieldsOf(a: PlainObject, b: PlainObject): boolean {
  for (const name in a) if (!isEqualJson(a[name], Object.hasOwn(b, name) ? b[name] : undefined)) return false;
  return true;
}

const hasNoOther = (a: PlainObject, b: PlainObject): boolean => {
  for (const name in a) if (a[name] !== undefined && !Object.hasOwn(b, name)) return false;
  return true;
};

/** Returns true for an object that JSON writes as its fields. It writes a date, for example, as text. */
function isJsonObject(value: object): value is PlainObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const TAG = '$kelivo';

/**
 * Converts a value to plain JSON that `fromPlainJson` converts back: dates, bytes, URLs, errors, missing and special
 * numbers. Functions and symbols are omitted, and with `keepUndefined: false` also fields without a value.
 */
export function toPlainJson(value: unknown, options: { keepUndefined?: boolean } = {}): JSONValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : tagged('number', String(value));
  if (typeof value === 'bigint') return tagged('bigint', String(value));
  if (typeof value !== 'object') return tagged('undefined');
  if (Array.isArray(value)) return value.map(item => toPlainJson(item, options));
  if (value instanceof Date)
    return tagged('date', Number.isNaN(value.getTime()) ? null : value.toISOString());
  if (value instanceof URL) return tagged('url', value.href);
  if (value instanceof Uint8Array) return tagged('bytes', toBase64(value));
  if (value instanceof Error) return tagged('error', toErrorFields(value));
  const fields = Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => typeof field !== 'function' && typeof field !== 'symbol')
      .filter(([, field]) => options.keepUndefined !== false || field !== undefined)
      .map(([name, field]) => [name, toPlainJson(field, options)]),
  );
  return TAG in fields ? tagged('object', fields) : fields;
}

/** Restores a value from the result of `toPlainJson`. */
export function fromPlainJson(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(fromPlainJson);
  if (!isPlainObject(json)) return json;
  const { [TAG]: type, value } = json;
  const restore = typeof type === 'string' && Object.hasOwn(restorers, type) ? restorers[type] : undefined;
  return restore === undefined ? toFields(json) : restore(value);
}

const restorers: Readonly<Record<string, (value: unknown) => unknown>> = {
  undefined: () => undefined,
  number: value => Number(value),
  bigint: value => BigInt(String(value)),
  date: value => new Date(value === null ? Number.NaN : String(value)),
  url: value => new URL(String(value)),
  bytes: value => fromBase64(String(value)),
  error: value => toError(isPlainObject(value) ? value : {}),
  object: value => (isPlainObject(value) ? toFields(value) : value),
};

const tagged = (type: string, value?: JSONValue): JSONValue => ({
  [TAG]: type,
  ...(value !== undefined && { value }),
});

const toFields = (json: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(json).map(([name, field]) => [name, fromPlainJson(field)]));

/** Returns the fields of an error without requests, headers and causes, which may contain secrets. */
function toErrorFields(error: Error): JSONValue {
  const { name, message } = error;
  const isRetryable = 'isRetryable' in error && error.isRetryable === true;
  if (APICallError.isInstance(error)) {
    const { statusCode, responseBody } = error;
    return asJson({ name, message, statusCode, responseBody, isRetryable });
  }
  return asJson({
    name,
    message,
    ...(KelivoError.isInstance(error) && { code: error.code }),
    ...(isRetryable && { isRetryable }),
  });
}

function toError({ name, message, statusCode, responseBody, isRetryable, code }: PlainObject): Error {
  const text = String(message);
  if (name === 'AI_APICallError') {
    return new APICallError({
      message: text,
      url: '',
      requestBodyValues: undefined,
      ...(typeof statusCode === 'number' && { statusCode }),
      ...(typeof responseBody === 'string' && { responseBody }),
      isRetryable: isRetryable === true,
    });
  }
  if (name === 'KelivoError')
    return new KelivoError({
      code: code as KelivoErrorCode,
      message: text,
      isRetryable: isRetryable === true,
    });
  return Object.assign(new Error(text), {
    name: String(name),
    ...(isRetryable === true && { isRetryable }),
  });
}

/** Number of bytes that are converted at once: the arguments of a call are limited. */
const CHUNK = 32_768;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(text);
}

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), character => character.charCodeAt(0));
