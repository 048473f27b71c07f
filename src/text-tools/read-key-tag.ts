import type { Tag } from './tag-grammar.js';
import { isSpace, type Reading, type TextCursor } from './text-cursor.js';

const LONGEST_KEY = 128;
const MAX_SPACE = 32;

/** A parameter tag that has its key within a pair of tags, and may have another tag before the value. Takes nothing. */
export function* readKeyTag(
  cursor: TextCursor,
  { open, close, valueOpen = '' }: { open: string; close: string; valueOpen?: string },
): Reading<Tag | undefined> {
  if (!(yield* cursor.sees(open))) return undefined;
  let key = '';
  let character = yield* cursor.peek(open.length);
  while (character !== undefined && character !== '<' && key.length < LONGEST_KEY) {
    key += character;
    character = yield* cursor.peek(open.length + key.length);
  }
  let length = open.length + key.length;
  if (key.trim() === '' || !(yield* cursor.sees(close, length))) return undefined;
  length += close.length;
  if (valueOpen === '') return { kind: 'parameter', key: key.trim(), length };

  const spaceEnd = length + MAX_SPACE;
  character = yield* cursor.peek(length);
  while (character !== undefined && isSpace(character) && length < spaceEnd) {
    character = yield* cursor.peek(++length);
  }
  if (!(yield* cursor.sees(valueOpen, length))) return undefined;
  return { kind: 'parameter', key: key.trim(), length: length + valueOpen.length };
}
