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

/** Returns a finite number. */
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

/** Writes JSON with sorted object keys, so that equal values produce equal text. */
export function toStableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
