import { isPlainObject } from '../../../core/shared/json.js';
import { waitWhile } from './json-arguments.js';
import { isPrototypeKey } from './json-scanner.js';
import { readMembers } from './literal-containers.js';
import { createPythonReader } from './python-value.js';
import { toProperties } from '../../../core/tool-calls/json-schema.js';
import { toValueTypes, type ValueType } from './schema-types.js';
import { findSpaceEnd, MAX_NAME, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls } from '../reading/text-tool-format.js';

const MAX_SPACE = 256;
/** The start of a call, or of a list of calls, up to its first value. */
const BEFORE_CALL = /^\[?\s*[-.:\w$\u0080-\uffff]*(?:\(\s*[-\w$\u0080-\uffff]*\s*=?\s*)?$/;
/** Returns the name of a call that starts at `offset`, with the parenthesis after it. Takes nothing. */
export function* findPythonCall(cursor: TextCursor, offset = 0): Reading<string | undefined> {
  const name = yield* cursor.look(/[-.:\w$\u0080-\uffff]/, { start: offset });
  return name !== '' && (yield* cursor.peek(offset + name.length)) === '(' ? name : undefined;
}

/** Waits for the first value of the calls that may come next. Nothing can be emitted before it. */
export const waitForPythonCalls = (cursor: TextCursor): Reading<void> => waitWhile(cursor, BEFORE_CALL);

/** Returns the name of the first call of a list that starts at `offset`. Takes nothing. */
export function* findPythonList(cursor: TextCursor, offset = 0): Reading<string | undefined> {
  if ((yield* cursor.peek(offset)) !== '[') return undefined;
  return yield* findPythonCall(cursor, yield* findSpaceEnd(cursor, { start: offset + 1, most: MAX_SPACE }));
}

/**
 * Reads `[name(key=value, …), …]`, or calls without the brackets.
 *
 * @param close The marker after the calls. It is taken with the last call.
 * @param wrapper A function around calls that shows their result, with its parenthesis. It is dropped.
 */
export function* readPythonCalls(
  cursor: TextCursor,
  calls: TextCalls,
  close = '',
  wrapper?: string,
): Reading<boolean> {
  const isList = yield* cursor.takes('[');
  for (;;) {
    yield* cursor.takeSpace();
    yield* waitForPythonCalls(cursor);
    const isWrapped = wrapper !== undefined && (yield* cursor.takes(wrapper));
    if (isWrapped) yield* cursor.takeSpace();
    if (!(yield* readPythonCall(cursor, calls, { isInList: isList, isWrapped }))) return false;
    if (isWrapped) {
      yield* cursor.takeSpace();
      if (!(yield* cursor.takes(')'))) return false;
    }
    const next = isList ? yield* readListSeparator(cursor) : yield* readSeparator(cursor);
    if (next === 'invalid') return false;
    if (next === 'end' && close !== '') {
      const offset = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
      if (yield* cursor.sees(close, offset)) cursor.take(offset + close.length);
    }
    calls.end();
    if (next === 'end') return true;
  }
}

type Separator = 'next' | 'end' | 'invalid';

/** Takes a comma or the end of a list. The list may be truncated after a call. */
function* readListSeparator(cursor: TextCursor): Reading<Separator> {
  const offset = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
  const character = yield* cursor.peek(offset);
  if (character === undefined) return 'end';
  if (character !== ',' && character !== ']') return 'invalid';
  cursor.take(offset + 1);
  if (character === ']') return 'end';
  yield* cursor.takeSpace();
  return (yield* cursor.takes(']')) ? 'end' : 'next';
}

/** Takes the white space, comma or semicolon before another call without brackets. */
function* readSeparator(cursor: TextCursor): Reading<Separator> {
  let offset = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
  if (/[,;]/.test((yield* cursor.peek(offset)) ?? '')) {
    offset = yield* findSpaceEnd(cursor, { start: offset + 1, most: MAX_SPACE });
  }
  if ((yield* findPythonCall(cursor, offset)) === undefined) return 'end';
  cursor.take(offset);
  return 'next';
}

/** Reads `name(key=value, …)` and starts the call. Only keyword arguments have names that JSON needs. */
function* readPythonCall(
  cursor: TextCursor,
  calls: TextCalls,
  options: { isInList: boolean; isWrapped: boolean },
): Reading<boolean> {
  const name = yield* findPythonCall(cursor);
  if (name === undefined) return false;
  cursor.take(name.length + 1);
  const tool = calls.begin(name);
  const properties = toProperties(tool?.schema);
  const reader = createPythonReader(cursor);
  /** The arguments from the first string on whose end is a guess, because a later argument may refute it. */
  let held = '';
  const isRead = yield* readMembers(
    cursor,
    json => {
      if (reader.isGuess) held += json;
      else calls.input(json);
    },
    {
      close: ')',
      isForbidden: isPrototypeKey,
      readKey,
      readValue: (write, key) => reader.value(write, typesOf(key), argumentEnds),
      schemas: { of: properties, root: tool?.schema },
    },
  );
  if (isRead && held !== '') calls.input(held);
  return isRead;

  function typesOf(key: string): readonly ValueType[] {
    const property = properties?.[key];
    const saysType = isPlainObject(property) && typeKeywords.some(keyword => keyword in property);
    return saysType ? toValueTypes(property, tool?.schema) : [];
  }

  /** Takes a key and the equals sign after it. */
  function* readKey(): Reading<string | undefined> {
    const key = yield* findKey(cursor, 0);
    if (key === undefined) return undefined;
    cursor.take(key.length);
    yield* cursor.takeSpace();
    return (yield* cursor.takes('=')) ? key : undefined;
  }

  function* argumentEnds(offset: number): Reading<boolean> {
    const next = yield* cursor.peek(offset);
    const end = yield* findSpaceEnd(cursor, { start: offset + 1, most: MAX_SPACE });
    const following = yield* cursor.peek(end);
    if (following === undefined) return true;
    if (next === ',') return following === ')' || (yield* seesArgument(end));
    if (next !== ')') return false;
    if (options.isWrapped) return following === ')';
    if (options.isInList) return following === ',' || following === ']';
    return end > offset + 1 || /[<,;`]/.test(following);
  }

  function* seesArgument(offset: number): Reading<boolean> {
    const key = yield* findKey(cursor, offset);
    if (key === undefined) return false;
    const end = yield* findSpaceEnd(cursor, { start: offset + key.length, most: MAX_SPACE });
    return (yield* cursor.peek(end)) === '=';
  }
}

/** The keywords of a schema that determine the type of a value. */
const typeKeywords = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

function* findKey(cursor: TextCursor, offset: number): Reading<string | undefined> {
  const key = yield* cursor.look(/[-\w$\u0080-\uffff]/, { start: offset });
  return key === '' || key.length === MAX_NAME ? undefined : key;
}
