import { APICallError } from '@ai-sdk/provider';
import { KelivoError, type KelivoErrorCode } from './errors.js';
import { asJson, isPlainObject, type JSONValue, type PlainObject } from './json.js';

/*
 * Plain JSON for values that JSON cannot represent. Such a value becomes an object with one tag, its type, and a value.
 * Stores and workflow engines keep plain JSON only, and each of them changes other values in a different way.
 */

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
  if (name === 'KelivoError') return new KelivoError({ code: code as KelivoErrorCode, message: text });
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
