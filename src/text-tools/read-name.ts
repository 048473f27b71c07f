import type { Reading, TextCursor } from './text-cursor.js';

/** Longer than the name of any tool. */
const LONGEST_NAME = 128;

/** What no name has in it: white space, brackets and quotes, which are of a template or of prose. */
const NO_NAME = /[\s{}<>[\]"'`|]/;

/** Takes the characters of a name, as many as there are; none is no name. */
export function* readName(cursor: TextCursor): Reading<string> {
  let length = 0;
  for (; length < LONGEST_NAME; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || NO_NAME.test(character)) break;
  }
  return cursor.take(length);
}
