import { readCallArguments } from '../../text-tools/values/json-call.js';
import { type Reading, readName, type TextCursor } from '../../text-tools/parser/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** `<|tools_prefix|>[{"name": {…}}, …]<|tools_suffix|>`: the only key of an item is the name of the tool. */
export const apertusFormat: TextToolFormat = {
  name: 'apertus',
  openers: ['<|tools_prefix|>'],
  closers: ['<|tools_suffix|>'],
  turnEnds: ['<|assistant_end|>'],
  *accepts(cursor) {
    return (yield* cursor.peek()) === '[';
  },
  *read(cursor, calls) {
    cursor.take(1);
    do {
      if (!(yield* readItem(cursor, calls))) return false;
      yield* cursor.takeSpace();
      yield* cursor.takes(';');
    } while (yield* cursor.takes(','));
    return yield* cursor.takes(']');
  },
};

function* readItem(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  if (!(yield* takesToken(cursor, '{')) || !(yield* takesToken(cursor, '"'))) return false;
  const name = yield* readName(cursor);
  if (!(yield* cursor.takes('"')) || !(yield* takesToken(cursor, ':'))) return false;
  // The call ends with its item, which has no other key.
  const isRead = yield* readCallArguments(cursor, { ...calls, end() {} }, { name, isNested: true });
  if (!isRead || !(yield* takesToken(cursor, '}'))) return false;
  calls.end();
  return true;
}

function* takesToken(cursor: TextCursor, token: string): Reading<boolean> {
  yield* cursor.takeSpace();
  return yield* cursor.takes(token);
}

/** Apertus writes calls and reasoning between special tokens. */
export const apertus = defineModelAdapter({
  name: 'apertus',
  appliesTo: matchModelName('apertus'),
  middleware: textToolsMiddleware({
    formats: [apertusFormat],
    reasoning: [{ open: '<|inner_prefix|>', close: '<|inner_suffix|>' }],
  }),
});
