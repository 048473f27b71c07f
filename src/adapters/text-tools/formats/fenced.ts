import { findSpaceEnd, MAX_SPACE, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { takeJson } from '../values/json-arguments.js';
import { bareList } from './json-lists.js';

interface FencedFormatOptions {
  readonly info: string;
  /** Returns true if a call of a declared tool starts at `offset`, in the fence. Takes nothing. */
  accepts(cursor: TextCursor, calls: TextCalls, offset: number): Reading<boolean>;
  /** Reads the calls in the fence. */
  read(cursor: TextCursor, calls: TextCalls): Reading<boolean>;
}

/** The marker that ends the turn of Gemma. */
const TURN_END = '<end_of_turn>';

/**
 * Creates a format of a response that consists of a fence with calls of declared tools. These are the only fences that are
 * not examples, so nothing is emitted before the end of the response is known.
 */
export function createFencedFormat(name: string, options: FencedFormatOptions): TextToolFormat {
  const fence = `\`\`\`${options.info}`;
  return {
    name,
    openers: [],
    startOpeners: [fence],
    closers: [TURN_END],
    *accepts(cursor, calls) {
      const start = yield* findSpaceEnd(cursor, { start: fence.length });
      return yield* options.accepts(cursor, calls, start);
    },
    *read(cursor, calls) {
      cursor.take(fence.length);
      yield* cursor.takeSpace(MAX_SPACE);
      const isRead = yield* readAllOrNone(cursor, calls, { read: options.read, ends: endsFence });
      // The rest may be within the fence, where nothing is a call.
      if (!isRead) yield* takeRest(cursor);
      return isRead;
    },
  };
}

/** Reads calls that count only if all of them are of declared tools, and the response ends after them. */
export function* readAllOrNone(
  cursor: TextCursor,
  calls: TextCalls,
  options: Pick<FencedFormatOptions, 'read'> & {
    /** Takes the end of the response. */
    ends: (cursor: TextCursor) => Reading<boolean>;
  },
): Reading<boolean> {
  const found: { name: string; input: string }[] = [];
  const collector: TextCalls = {
    ...calls,
    begin(name) {
      found.push({ name, input: '' });
      return calls.isDeclared(name) ? calls.begin(name) : undefined;
    },
    input: json => void ((found.at(-1) ?? { input: '' }).input += json),
    end: () => {},
  };
  const isRead =
    (yield* options.read(cursor, collector)) &&
    found.every(entry => calls.isDeclared(entry.name)) &&
    (yield* options.ends(cursor));
  if (!isRead) return false;
  for (const { name, input } of found) {
    calls.begin(name);
    calls.input(input || '{}');
    calls.end();
  }
  return true;
}

/** Takes the rest of the response. */
export function* takeRest(cursor: TextCursor): Reading<void> {
  while ((yield* cursor.peek()) !== undefined) cursor.take(cursor.rest().length);
}

/** Takes the end of the fence and of the response. */
function* endsFence(cursor: TextCursor): Reading<boolean> {
  yield* cursor.takeSpace(MAX_SPACE);
  if (!(yield* cursor.takes('```'))) return false;
  yield* cursor.takeSpace(MAX_SPACE);
  yield* cursor.takes(TURN_END);
  yield* cursor.takeSpace(MAX_SPACE);
  return (yield* cursor.peek()) === undefined;
}

/** The bare list in a fence that is the whole response. */
export const fencedList: TextToolFormat = createFencedFormat('fenced-list', {
  info: 'json',
  *accepts(cursor, _calls, offset) {
    return /[[{]/.test((yield* cursor.peek(offset)) ?? '');
  },
  *read(cursor, calls) {
    return (yield* cursor.sees('['))
      ? yield* bareList.read(cursor, calls, '')
      : yield* readToolCalls(cursor, calls);
  },
});

/** `{"thought": "…", "tool_calls": [{"name": …, "arguments": {…}}]}` of xLAM 1, at the start of a response. */
export const toolCalls: TextToolFormat = {
  name: 'tool-calls',
  openers: [],
  startOpeners: ['{'],
  read: readToolCalls,
};

function* readToolCalls(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  if (!(yield* cursor.takes('{'))) return false;
  let thought = '';
  for (;;) {
    yield* cursor.takeSpace();
    const key = (yield* takeJson(cursor)) ?? '';
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes(':'))) return false;
    yield* cursor.takeSpace();
    if (key === '"tool_calls"') break;
    const value = key === '"thought"' && (yield* cursor.sees('"')) ? yield* takeJson(cursor) : undefined;
    if (value === undefined) return false;
    thought += String(JSON.parse(value)).trim();
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes(','))) return false;
  }
  if (!(yield* cursor.sees('['))) return false;
  const withThought: TextCalls = {
    ...calls,
    begin(name, options) {
      // Reasoning without a call is part of an object that is text.
      if (thought !== '' && calls.isDeclared(name)) calls.reasoning(thought);
      thought = '';
      return calls.begin(name, options);
    },
  };
  if (!(yield* bareList.read(cursor, withThought, ''))) return false;
  // The list proves that the calls are complete.
  yield* cursor.takeSpace();
  yield* cursor.takes('}');
  return true;
}
