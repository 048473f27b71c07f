import { readCallArguments, readJsonCalls } from '../text-tools/json-call.js';
import { readName } from '../text-tools/text-cursor.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

/**
 * `[TOOL_REQUEST]name {…}[TOOL_REQUEST_END]`, or with `{"name": …, "arguments": …}` inside. The system prompt of the
 * server asks for this format.
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

/** Gemma has no call syntax and follows the system prompt: `[TOOL_REQUEST]` under LM Studio. */
export const gemma = defineModelAdapter({
  name: 'gemma',
  appliesTo: matchModelName('gemma', 'functiongemma'),
  middleware: textToolsMiddleware({ formats: [toolRequestFormat] }),
});
