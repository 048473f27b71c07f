import { readKeyTag } from '../read-key-tag.js';
import { readName } from '../read-name.js';
import { readTaggedCall } from '../tagged-call.js';
import { createTagGrammar, type TagGrammar } from '../tag-grammar.js';
import type { TextToolFormat } from '../text-tool-format.js';

const tags = createTagGrammar({
  parameter: '<arg_key>',
  parameterEnd: '</arg_value>',
  call: '<tool_call>',
  callEnd: '</tool_call>',
});

const keyTag = { open: '<arg_key>', close: '</arg_key>', valueOpen: '<arg_value>' };

const grammar: TagGrammar = {
  ...tags,
  *readTag(cursor) {
    return (yield* readKeyTag(cursor, keyTag)) ?? (yield* tags.readTag(cursor));
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
