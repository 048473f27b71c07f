import { readName } from '../read-name.js';
import { readTaggedCall } from '../read-tagged-call.js';
import { createTagGrammar, type Tag, type TagGrammar } from '../tag-grammar.js';
import { isSpace, type Reading, type TextCursor } from '../text-cursor.js';
import type { TextToolFormat } from '../text-tool-format.js';

const tags = createTagGrammar({
  parameter: '<arg_key>',
  parameterEnd: '</arg_value>',
  call: '<tool_call>',
  callEnd: '</tool_call>',
});

const grammar: TagGrammar = {
  ...tags,
  *readTag(cursor) {
    return (yield* readParameterTag(cursor)) ?? (yield* tags.readTag(cursor));
  },
};

/**
 * `<tool_call>name`, then `<arg_key>key</arg_key>` and `<arg_value>value</arg_value>` for each argument, and
 * `</tool_call>`, as GLM 4.5 and later write it.
 */
export const glmFormat: TextToolFormat = {
  name: 'glm',
  openers: ['<tool_call>'],
  closers: ['</tool_call>', '<|observation|>', '<|user|>'],
  *accepts(cursor) {
    const character = yield* cursor.peek();
    return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  },
  *read(cursor, calls) {
    const name = yield* readName(cursor);
    return yield* readTaggedCall(cursor, calls, { grammar, name });
  },
};

const LONGEST_KEY = 200;

/** A parameter begins with two tags, and its key between them. */
function* readParameterTag(cursor: TextCursor): Reading<Tag | undefined> {
  if (!(yield* cursor.sees('<arg_key>'))) return undefined;
  const start = '<arg_key>'.length;
  let key = '';
  let character = yield* cursor.peek(start);
  while (character !== undefined && character !== '<' && key.length < LONGEST_KEY) {
    key += character;
    character = yield* cursor.peek(start + key.length);
  }
  let length = start + key.length;
  if (!(yield* cursor.sees('</arg_key>', length))) return undefined;
  length += '</arg_key>'.length;
  character = yield* cursor.peek(length);
  while (character !== undefined && isSpace(character) && length < LONGEST_KEY * 2) {
    character = yield* cursor.peek(++length);
  }
  if (key.trim() === '' || !(yield* cursor.sees('<arg_value>', length))) return undefined;
  return { kind: 'parameter', key: key.trim(), length: length + '<arg_value>'.length };
}
