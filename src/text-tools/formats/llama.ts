import { readJsonCalls } from '../values/json-call.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';

const fields = { name: 'name', arguments: ['parameters', 'arguments'] };

/** `<|python_tag|>{"name": …, "parameters": {…}}` of Llama 3 and 4, with semicolons between several calls. */
export const llamaFormat: TextToolFormat = {
  name: 'llama',
  openers: ['<|python_tag|>', '<|python_start|>'],
  closers: ['<|eom_id|>', '<|eot_id|>', '<|eot|>', '<|eom|>', '<|python_end|>'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields }))) return false;
    } while (yield* takesSeparator(cursor));
    return true;
  },
};

/** The same JSON without a marker. The first keys distinguish it from other JSON at the start of a response. */
export const bareJsonFormat: TextToolFormat = {
  name: 'bare-json',
  openers: [],
  startOpeners: ['{'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields, isStrict: true }))) return false;
    } while (yield* takesSeparator(cursor));
    return true;
  },
};

const MAX_SPACE = 8;

/** Takes a semicolon and the white space around it if another call follows. */
function* takesSeparator(cursor: TextCursor): Reading<boolean> {
  const semicolon = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
  if ((yield* cursor.peek(semicolon)) !== ';') return false;
  const next = yield* findSpaceEnd(cursor, { start: semicolon + 1, most: MAX_SPACE });
  if ((yield* cursor.peek(next)) !== '{') return false;
  cursor.take(next);
  return true;
}
