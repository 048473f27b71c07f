import { readCallArguments } from '../read-call-arguments.js';
import { readJsonCalls } from '../json-call.js';
import { readName } from '../read-name.js';
import type { TextToolFormat } from '../text-tool-format.js';

/**
 * `[TOOL_REQUEST]name {…}[TOOL_REQUEST_END]`, and with `{"name": …, "arguments": …}` in it, as models write it that were
 * told to by the prompt of their server. Gemma does.
 */
export const toolRequestFormat: TextToolFormat = {
  name: 'tool-request',
  openers: ['[TOOL_REQUEST]'],
  closers: ['[TOOL_REQUEST_END]', '[END_TOOL_REQUEST]', '<end_of_turn>'],
  *read(cursor, calls) {
    if ((yield* cursor.peek()) === '{') {
      return yield* readJsonCalls(cursor, calls, { fields: { name: 'name', arguments: ['arguments'] } });
    }
    return yield* readCallArguments(cursor, calls, { name: yield* readName(cursor) });
  },
};
