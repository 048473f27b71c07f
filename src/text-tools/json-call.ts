import { tryParseJson } from '../shared/json.js';
import { createJsonScanner, isSafeJson } from './json-scanner.js';
import type { Reading, TextCursor } from './text-cursor.js';
import type { TextCalls } from './text-tool-format.js';

/** The keys of a call in JSON. */
export interface JsonCallFields {
  readonly name: string;
  /** Alternative keys of the arguments. */
  readonly arguments: readonly string[];
  readonly id?: string;
}

/** Describes the JSON of a call. */
export interface JsonCallOptions {
  readonly fields: JsonCallFields;
  /**
   * Buffers the arguments until the call is complete, because the id may follow them and must be emitted first.
   * @default false
   */
  readonly waitsForId?: boolean;
  /**
   * Requires the name before the arguments, and requires arguments, to distinguish calls from other JSON.
   * @default false
   */
  readonly isStrict?: boolean;
}

/** Reads a call whose name is known and whose arguments follow as a JSON object. */
export function* readCallArguments(
  cursor: TextCursor,
  calls: TextCalls,
  { name, id }: { name: string; id?: string | undefined },
): Reading<boolean> {
  yield* cursor.takeSpace();
  if (name === '' || (yield* cursor.peek()) !== '{') return false;
  calls.begin(name, { id });
  if (!(yield* readJson(cursor, calls.input))) return false;
  calls.end();
  return true;
}

/** Reads one call or a list of calls: `{"name": …, "arguments": {…}}` or `[{…}, {…}]`. */
export function* readJsonCalls(
  cursor: TextCursor,
  calls: TextCalls,
  options: JsonCallOptions,
): Reading<boolean> {
  if (!(yield* cursor.takes('['))) return yield* readJsonCall(cursor, calls, options);
  do {
    yield* cursor.takeSpace();
    if (!(yield* readJsonCall(cursor, calls, options))) return false;
    yield* cursor.takeSpace();
  } while (yield* cursor.takes(','));
  return yield* cursor.takes(']');
}

function* readJsonCall(
  cursor: TextCursor,
  calls: TextCalls,
  { fields, waitsForId = false, isStrict = false }: JsonCallOptions,
): Reading<boolean> {
  let name: string | undefined;
  let id: string | undefined;
  /** Arguments that cannot be emitted yet. */
  let buffered: string | undefined;
  let hasBegun = false;
  let hasArguments = false;
  /** True if an unknown key has an object or array, which may be the arguments. */
  let hasUnknownValue = false;

  if (!(yield* cursor.takes('{'))) return false;
  yield* cursor.takeSpace();
  if (!(yield* cursor.takes('}'))) {
    do {
      yield* cursor.takeSpace();
      const key = yield* readJsonString(cursor);
      if (key === undefined) return false;
      yield* cursor.takeSpace();
      if (!(yield* cursor.takes(':'))) return false;
      yield* cursor.takeSpace();
      if (!(yield* readField(key))) return false;
      yield* cursor.takeSpace();
    } while (yield* cursor.takes(','));
    if (!(yield* cursor.takes('}'))) return false;
  }
  if (name === undefined || (!hasArguments && (isStrict || hasUnknownValue))) return false;
  if (!hasBegun) begin(name);
  calls.end();
  return true;

  function begin(name: string): void {
    hasBegun = true;
    calls.begin(name, { id });
    if (buffered !== undefined) calls.input(buffered);
    buffered = undefined;
  }

  function* readField(key: string): Reading<boolean> {
    if (fields.arguments.includes(key) && !hasArguments) return yield* readArguments();
    if (key === fields.name && name === undefined) {
      name = yield* readJsonString(cursor);
      return name !== undefined && (!isStrict || calls.isNameStart(name));
    }
    if (key === fields.id && (yield* cursor.peek()) === '"') {
      id = yield* readJsonString(cursor);
      return id !== undefined;
    }
    if (isStrict && key !== 'type') return false;
    const first = yield* cursor.peek();
    if (first === '{' || first === '[') hasUnknownValue = true;
    return yield* readJson(cursor, () => {});
  }

  function* readArguments(): Reading<boolean> {
    hasArguments = true;
    const first = yield* cursor.peek();
    if (first === '"' || first === 'n') return yield* readWrappedArguments();
    if (first !== '{' || (isStrict && name === undefined)) return false;
    if (name !== undefined && !waitsForId) {
      begin(name);
      return yield* readJson(cursor, calls.input);
    }
    buffered = '';
    return yield* readJson(cursor, text => {
      buffered += text;
    });
  }

  /** Reads arguments that are JSON in a string, or null. */
  function* readWrappedArguments(): Reading<boolean> {
    let text = '';
    const isComplete = yield* readJson(cursor, chunk => {
      text += chunk;
    });
    if (!isComplete) return false;
    buffered = unwrapArguments(text);
    if (buffered === undefined) return false;
    if (name !== undefined && !waitsForId) begin(name);
    return true;
  }
}

/** Returns the object in a JSON string. Returns `{}` for null and the empty string. */
function unwrapArguments(text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  const inner = value === null || value === '' ? '{}' : String(value).trim();
  return inner.startsWith('{') && isSafeJson(inner) ? inner : undefined;
}

/**
 * Takes one JSON value and passes its text on as it arrives.
 *
 * @returns false if the value is incomplete or invalid.
 */
function* readJson(cursor: TextCursor, onText: (text: string) => void): Reading<boolean> {
  const scanner = createJsonScanner();
  while (scanner.state === 'open') {
    const available = cursor.rest();
    const length = scanner.push(available);
    if (length > 0) onText(cursor.take(length));
    // A number ends only before another character or at the end of the text.
    if (length === available.length && scanner.state === 'open' && (yield* cursor.peek()) === undefined) {
      scanner.push(' ');
      break;
    }
  }
  return scanner.state === 'complete';
}

const MAX_STRING = 512;

/** Takes a JSON string. Returns undefined for other text, and for strings of more than `MAX_STRING` characters. */
function* readJsonString(cursor: TextCursor): Reading<string | undefined> {
  if ((yield* cursor.peek()) !== '"') return undefined;
  let isEscaped = false;
  let length = 1;
  for (; length < MAX_STRING; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || character < ' ') return undefined;
    if (!isEscaped && character === '"') break;
    isEscaped = !isEscaped && character === '\\';
  }
  const value = tryParseJson(cursor.take(length + 1));
  return typeof value === 'string' ? value : undefined;
}
