import { toProperties } from '../../../core/tool-calls/json-schema.js';
import { isArgumentsKey, isCallKey } from '../../../core/tool-calls/schema-repair.js';
import {
  BEFORE_ARGUMENTS,
  BEFORE_CALL,
  FIRST_KEY,
  NEXT_KEY,
  readJsonArguments,
  takeJson,
  takeJsonString,
  toArguments,
  unwrapText,
  waitWhile,
} from './json-arguments.js';
import { type ReadOutcome, readMended, takeExcess } from './json-mending.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls } from '../reading/text-tool-format.js';

export interface JsonCallFields {
  readonly name: string;
  /** Alternative keys of the arguments. */
  readonly arguments: readonly string[];
  readonly id?: string;
}

/** Describes the JSON of a call. */
export interface JsonCallOptions {
  /**
   * The names of the fields of a call.
   * @default `name`, `arguments` or `parameters`, and `id`
   */
  readonly fields?: JsonCallFields;
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
  /**
   * The calls are part of another value, whose brackets follow.
   * @default false
   */
  readonly isNested?: boolean;
}

/** Reads a call whose name is known and whose arguments follow as a JSON object, which may be part of another value. */
export function* readCallArguments(
  cursor: TextCursor,
  calls: TextCalls,
  options: { name: string; id?: string | undefined; isNested?: boolean },
): Reading<boolean> {
  yield* cursor.takeSpace();
  if (options.name === '' || (yield* cursor.peek()) !== '{') return false;
  const isRead = yield* readMended(cursor, calls, function* (cursor, calls): Reading<ReadOutcome> {
    const tool = calls.begin(options.name, { id: options.id });
    yield* waitWhile(cursor, BEFORE_ARGUMENTS);
    const rest = yield* readJsonArguments(cursor, calls.input, tool);
    if (rest === undefined) return 'malformed';
    calls.input(rest);
    calls.end();
    return 'read';
  });
  if (isRead && !options.isNested) yield* takeExcess(cursor, calls);
  return isRead;
}

/** Reads one call or a list of calls: `{"name": …, "arguments": {…}}` or `[{…}, {…}]`. */
export function* readJsonCalls(
  cursor: TextCursor,
  calls: TextCalls,
  options: JsonCallOptions = {},
): Reading<boolean> {
  const isRead = yield* readMended(cursor, calls, (cursor, calls) => readCalls(cursor, calls, options));
  if (isRead && options.isNested !== true) yield* takeExcess(cursor, calls);
  return isRead;
}

function* readCalls(cursor: TextCursor, calls: TextCalls, options: JsonCallOptions): Reading<ReadOutcome> {
  // The text before the arguments decides whether strict JSON is a call.
  if (options.isStrict !== true) yield* waitWhile(cursor, BEFORE_CALL);
  if (!(yield* cursor.takes('['))) return yield* readJsonCall(cursor, calls, options);
  do {
    yield* cursor.takeSpace();
    if (options.isStrict !== true) yield* waitWhile(cursor, BEFORE_CALL);
    const result = yield* readJsonCall(cursor, calls, options);
    if (result !== 'read') return result;
    yield* cursor.takeSpace();
    // Some models end each call as a statement.
    yield* cursor.takes(';');
  } while (yield* cursor.takes(','));
  return (yield* cursor.takes(']')) ? 'read' : 'malformed';
}

/** A field besides the name and the arguments. */
interface OtherField {
  readonly key: string;
  readonly json: string;
}

/** Arguments that contain none. */
const NOTHING = /^(?:null|""|\{\s*\})$/;

const FIELDS: JsonCallFields = { name: 'name', arguments: ['arguments', 'parameters'], id: 'id' };

function* readJsonCall(
  cursor: TextCursor,
  calls: TextCalls,
  { fields = FIELDS, waitsForId = false, isStrict = false }: JsonCallOptions,
): Reading<ReadOutcome> {
  let name: string | undefined;
  let tool: DeclaredTool | undefined;
  let id: string | undefined;
  /** Arguments that cannot be emitted yet: all of them, or their end. */
  let buffered: string | undefined;
  let hasBegun = false;
  let hasArguments = false;
  const others: OtherField[] = [];

  const result = yield* readFields();
  // Malformed JSON without a marker is a call only if its start is one.
  if (result === 'malformed' && isStrict && name === undefined) return 'no-call';
  if (result !== 'read') return result;
  if (name === undefined || (!hasArguments && isStrict)) return 'no-call';
  if (!hasBegun && !begin(name)) return 'no-call';
  if (others.some(isLost)) return 'no-call';
  if (buffered !== undefined) calls.input(buffered);
  calls.end();
  return 'read';

  function* readFields(): Reading<ReadOutcome> {
    let key = cursor.takeMatch(FIRST_KEY)?.[1];
    if (key === undefined) {
      if (!(yield* cursor.takes('{'))) return 'malformed';
      yield* cursor.takeSpace();
      if (yield* cursor.takes('}')) return 'read';
      key = yield* readKey();
    }
    for (;;) {
      if (key === undefined) return 'malformed';
      const result = yield* readField(key);
      if (result !== 'read') return result;
      key = cursor.takeMatch(NEXT_KEY)?.[1];
      if (key !== undefined) continue;
      yield* cursor.takeSpace();
      if (!(yield* cursor.takes(','))) break;
      key = yield* readKey();
    }
    return (yield* cursor.takes('}')) ? 'read' : 'malformed';
  }

  function* readKey(): Reading<string | undefined> {
    yield* cursor.takeSpace();
    const key = yield* takeJsonString(cursor);
    if (key === undefined) return undefined;
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes(':'))) return undefined;
    yield* cursor.takeSpace();
    return key.value;
  }

  /** Begins the call. Returns false if its buffered arguments are not allowed. */
  function begin(name: string): boolean {
    hasBegun = true;
    tool = calls.begin(name, { id });
    if (buffered !== undefined) buffered = toArguments(buffered, tool);
    return !hasArguments || buffered !== undefined;
  }

  /** Returns true if a field may be an argument. A call without it would run with other arguments than were written. */
  function isLost({ key, json }: OtherField): boolean {
    const isDeclared = Object.hasOwn(toProperties(tool?.schema) ?? {}, key);
    const isOfCall = key === fields.id || (key !== fields.name && isCallKey(key));
    if (!hasArguments) return isDeclared || !isOfCall || /^[{[]/.test(json);
    if (fields.arguments.includes(key)) return !NOTHING.test(json);
    if (isArgumentsKey(key) && json.startsWith('{')) return !NOTHING.test(json);
    return isDeclared && !isOfCall;
  }

  function* readField(key: string): Reading<ReadOutcome> {
    if (fields.arguments.includes(key) && !hasArguments) return yield* readArguments();
    if (key === fields.name && name === undefined) {
      name = (yield* takeJsonString(cursor))?.value;
      if (name === undefined) return 'malformed';
      return !isStrict || calls.isNameStart(name) ? 'read' : 'no-call';
    }
    if (key === fields.id && (yield* cursor.peek()) === '"') {
      const string = yield* takeJsonString(cursor);
      if (string === undefined) return 'malformed';
      id = string.value;
      others.push({ key, json: string.json });
      return 'read';
    }
    if (isStrict && key !== 'type') return 'no-call';
    const json = yield* takeJson(cursor);
    if (json === undefined) return 'malformed';
    others.push({ key, json });
    return 'read';
  }

  function* readArguments(): Reading<ReadOutcome> {
    hasArguments = true;
    const first = yield* cursor.peek();
    if (first === '"' || first === 'n') {
      const text = yield* takeJson(cursor);
      if (text === undefined) return 'malformed';
      buffered = unwrapText(text);
      if (buffered === undefined) return 'no-call';
      return name === undefined || waitsForId || begin(name) ? 'read' : 'no-call';
    }
    if (isStrict && name === undefined) return 'no-call';
    if (first !== '{') return first === '[' ? 'no-call' : 'malformed';
    if (name !== undefined && !waitsForId) {
      begin(name);
      if (others.some(isLost)) return 'no-call';
      buffered = yield* readJsonArguments(cursor, calls.input, tool);
    } else {
      buffered = yield* takeJson(cursor);
    }
    return buffered === undefined ? 'malformed' : 'read';
  }
}
