import { type Reading, readName, type TextCursor } from '../reading/text-cursor.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';
import { readCallArguments, readJsonCalls } from '../values/json-call.js';

/**
 * The four variants of `[TOOL_CALLS]`, by version of the tokenizer:
 *
 * - up to v7: `[{"name": …, "arguments": …, "id": …}]`
 * - v11: `name[CALL_ID]id[ARGS]{…}`
 * - later: `name[ARGS]{…}`
 * - servers that drop special tokens: `name{…}`
 *
 * @see https://github.com/mistralai/mistral-common
 */
export const mistralFormat: TextToolFormat = {
  name: 'mistral',
  openers: ['[TOOL_CALLS]'],
  closers: ['</s>'],
  *read(cursor, calls) {
    if ((yield* takesUpToList(cursor)) || (yield* cursor.peek()) === '{') {
      const fields = { name: 'name', arguments: ['arguments'], id: 'id' };
      return yield* readJsonCalls(cursor, calls, { fields, waitsForId: true });
    }
    const name = yield* readName(cursor);
    yield* cursor.takeSpace(MAX_STRAY);
    const id = (yield* cursor.takes('[CALL_ID]')) ? yield* readName(cursor) : '';
    yield* cursor.takeSpace(MAX_STRAY);
    yield* cursor.takes('[ARGS]');
    return yield* readCallArguments(cursor, calls, { name, ...(id !== '' && { id }) });
  },
};

/** The maximum number of stray characters between the marker and a list. vLLM skips a few stray words too. */
const MAX_STRAY = 32;

/** Takes stray characters before a list of calls. Takes nothing if there is no list. */
function* takesUpToList(cursor: TextCursor): Reading<boolean> {
  let length = 0;
  for (; length < MAX_STRAY; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || '{<\n'.includes(character)) return false;
    if (character === '[') break;
  }
  const isList = /^\[\s*\{/.test(yield* lookAhead(cursor, length));
  if (isList) cursor.take(length);
  return isList;
}

/** Returns the bracket at `offset` and the first character after it that is not white space. */
function* lookAhead(cursor: TextCursor, offset: number): Reading<string> {
  for (let length = offset + 1; length < offset + MAX_STRAY; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined) return '';
    if (character.trim() !== '') return `[${character}`;
  }
  return '';
}
