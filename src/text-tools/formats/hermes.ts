import { readJsonCalls } from '../values/json-call.js';
import type { TextToolFormat } from '../text-tool-format.js';

/**
 * `<tool_call>{"name": …, "arguments": {…}}</tool_call>` of Qwen 2.5 and 3, Hermes and Granite. The JSON determines the
 * end of a call, so a wrong or missing closing tag is accepted. A list may contain several calls.
 */
export const hermesFormat: TextToolFormat = {
  name: 'hermes',
  openers: ['<tool_call>'],
  prefixes: ['<|im_start|>assistant'],
  // An extra brace is a common mistake of models.
  closers: ['</tool_call>', '}</tool_call>', '}\n</tool_call>', '</tool>', '</think>', '<|im_end|>'],
  *accepts(cursor) {
    const character = yield* cursor.peek();
    return character === '{' || character === '[';
  },
  read: (cursor, calls) =>
    readJsonCalls(cursor, calls, {
      fields: { name: 'name', arguments: ['arguments', 'parameters'], id: 'id' },
    }),
};
