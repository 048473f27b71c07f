import { isWholeJson } from './json-scanner.js';
import { readJson, readJsonString } from './read-json.js';
import type { Reading, TextCursor } from './text-cursor.js';
import type { TextCalls } from './text-tool-format.js';

/** What the fields of a call are called. */
export interface JsonCallFields {
  readonly name: string;
  /** Names for the arguments. */
  readonly arguments: readonly string[];
  readonly id?: string;
}

/** What the JSON of a call looks like. */
export interface JsonCallOptions {
  readonly fields: JsonCallFields;
  /**
   * Whether the id may stand behind the arguments, which are then held until the call is whole: they cannot be told to
   * the host before the id.
   */
  readonly waitsForId?: boolean;
  /** Whether a call must have its name before its arguments, and arguments at all, to be told from other JSON. */
  readonly isStrict?: boolean;
}

/** Reads one call, or a list of them: `{"name": …, "arguments": {…}}` or `[{…}, {…}]`. */
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
  /** Arguments that came before they could be told. */
  let held: string | undefined;
  let hasBegun = false;
  let hasArguments = false;
  /** Whether another field may hold the arguments under a name of its own. */
  let hasOthers = false;

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
  if (name === undefined || (!hasArguments && (isStrict || hasOthers))) return false;
  if (!hasBegun) begin(name);
  calls.end();
  return true;

  function begin(name: string): void {
    hasBegun = true;
    calls.begin(name, { id });
    if (held !== undefined) calls.input(held);
    held = undefined;
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
    if (first === '{' || first === '[') hasOthers = true;
    return yield* readJson(cursor, () => {});
  }

  function* readArguments(): Reading<boolean> {
    hasArguments = true;
    const first = yield* cursor.peek();
    if (first === '"' || first === 'n') return yield* readWrapped();
    if (first !== '{' || (isStrict && name === undefined)) return false;
    if (name !== undefined && !waitsForId) {
      begin(name);
      return yield* readJson(cursor, calls.input);
    }
    held = '';
    return yield* readJson(cursor, text => {
      held += text;
    });
  }

  /** Arguments as JSON in a string, or null where there are none. */
  function* readWrapped(): Reading<boolean> {
    let text = '';
    const isWhole = yield* readJson(cursor, piece => {
      text += piece;
    });
    if (!isWhole) return false;
    held = unwrap(text);
    if (held === undefined) return false;
    if (name !== undefined && !waitsForId) begin(name);
    return true;
  }
}

/** The object that a JSON string holds. Null and the empty string hold none, which is `{}`. */
function unwrap(text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  const inner = value === null || value === '' ? '{}' : String(value).trim();
  return inner.startsWith('{') && isWholeJson(inner) ? inner : undefined;
}
