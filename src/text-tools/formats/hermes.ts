import { readJsonCalls } from '../json-call.js';
import type { TextToolFormat } from '../text-tool-format.js';

/**
 * `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, as Qwen 2.5 and 3, Hermes and Granite write it. The JSON tells
 * where a call ends, so its closing tag may be another one, or missing; several calls may stand in a list.
 */
export const hermesFormat: TextToolFormat = {
  name: 'hermes',
  openers: ['<tool_call>'],
  prefixes: ['<|im_start|>assistant'],
  // A brace too many is one of the commoner slips.
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
