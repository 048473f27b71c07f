import { createFencedFormat } from './fenced.js';
import { bareListFormat } from './json-lists.js';
import { takeJson } from '../values/json-arguments.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';

/** The bare list in a fence that is the whole response. */
export const fencedListFormat: TextToolFormat = createFencedFormat('fenced-list', {
  info: 'json',
  *accepts(cursor, _calls, offset) {
    return /[[{]/.test((yield* cursor.peek(offset)) ?? '');
  },
  *read(cursor, calls) {
    return (yield* cursor.sees('['))
      ? yield* bareListFormat.read(cursor, calls, '')
      : yield* readToolCalls(cursor, calls);
  },
});

/** `{"thought": "…", "tool_calls": [{"name": …, "arguments": {…}}]}` of xLAM 1, at the start of a response. */
export const toolCallsFormat: TextToolFormat = {
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
  if (!(yield* bareListFormat.read(cursor, withThought, ''))) return false;
  // The list proves that the calls are complete.
  yield* cursor.takeSpace();
  yield* cursor.takes('}');
  return true;
}
