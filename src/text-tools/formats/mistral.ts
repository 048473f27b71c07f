import { readCallArguments } from '../read-call-arguments.js';
import { readJsonCalls } from '../json-call.js';
import { readName } from '../read-name.js';
import type { Reading, TextCursor } from '../text-cursor.js';
import type { TextToolFormat } from '../text-tool-format.js';

/**
 * The four forms of `[TOOL_CALLS]`, by version of the tokenizer: `[{"name": …, "arguments": …, "id": …}]` up to v7,
 * `name[CALL_ID]id[ARGS]{…}` in v11, `name[ARGS]{…}` since, and `name{…}` where the server drops special tokens.
 *
 * @see https://github.com/mistralai/mistral-common
 */
export const mistralFormat: TextToolFormat = {
  name: 'mistral',
  openers: ['[TOOL_CALLS]'],
  closers: ['</s>'],
  *read(cursor, calls) {
    if ((yield* findList(cursor)) || (yield* cursor.peek()) === '{') {
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

/** Where a list may begin behind the marker: vLLM, too, looks past a few stray words. */
const MAX_STRAY = 32;

function* findList(cursor: TextCursor): Reading<boolean> {
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

/** The bracket at `offset` and the first character behind it that is no space. */
function* lookAhead(cursor: TextCursor, offset: number): Reading<string> {
  for (let length = offset + 1; length < offset + MAX_STRAY; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined) return '';
    if (character.trim() !== '') return `[${character}`;
  }
  return '';
}
