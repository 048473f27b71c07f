import { readJsonCalls } from '../json-call.js';
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

/** Takes a semicolon, with white space around it, or nothing, before the next call. */
function* takesSeparator(cursor: TextCursor): Reading<boolean> {
  const semicolon = yield* spaceEnd(cursor, 0);
  if ((yield* cursor.peek(semicolon)) !== ';') return false;
  const next = yield* spaceEnd(cursor, semicolon + 1);
  if ((yield* cursor.peek(next)) !== '{') return false;
  cursor.take(next);
  return true;
}

/** Where the white space at `offset` ends, as far as it is looked at. */
function* spaceEnd(cursor: TextCursor, offset: number): Reading<number> {
  let length = offset;
  let character = yield* cursor.peek(length);
  while (character !== undefined && isSpace(character) && length < offset + MAX_SPACE) {
    character = yield* cursor.peek(++length);
  }
  return length;
}
