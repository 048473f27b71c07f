import { readJsonCalls } from '../read-json-call.js';
import { isSpace, type Reading, type TextCursor } from '../text-cursor.js';
import type { TextToolFormat } from '../text-tool-format.js';

const fields = { name: 'name', arguments: ['parameters', 'arguments'] };

/** `<|python_tag|>{"name": …, "parameters": {…}}`, several with a semicolon between, as Llama 3 and 4 write it. */
export const llamaFormat: TextToolFormat = {
  name: 'llama',
  openers: ['<|python_tag|>'],
  closers: ['<|eom_id|>', '<|eot_id|>', '<|eot|>'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields }))) return false;
    } while (yield* takesSeparator(cursor));
    return true;
  },
};

/** The same without a marker. Other JSON that an answer begins with is told apart by its first keys. */
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

/** Takes a semicolon, or nothing, before the next call. */
function* takesSeparator(cursor: TextCursor): Reading<boolean> {
  if ((yield* cursor.peek()) !== ';') return false;
  let length = 1;
  let character = yield* cursor.peek(length);
  while (character !== undefined && isSpace(character) && length < MAX_SPACE) {
    character = yield* cursor.peek(++length);
  }
  if (character === '{') cursor.take(length);
  return character === '{';
}
