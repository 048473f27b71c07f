import { readCallArguments } from '../read-call-arguments.js';
import { readName } from '../read-name.js';
import type { TextToolFormat } from '../text-tool-format.js';

/**
 * `<|tool_calls_section_begin|>` and, for each call, `<|tool_call_begin|>functions.name:index<|tool_call_argument_begin|>`
 * with `{…}<|tool_call_end|>` behind, as Kimi K2 writes it. What stands before the arguments is the call's id.
 *
 * @see https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
 */
export const kimiFormat: TextToolFormat = {
  name: 'kimi',
  openers: ['<|tool_call_begin|>'],
  prefixes: ['<|tool_calls_section_begin|>'],
  closers: ['<|tool_call_end|>', '<|tool_calls_section_end|>', '<|im_end|>'],
  // Kimi K2 Thinking calls without ending its thoughts.
  reasoningEnders: ['<|tool_calls_section_begin|>'],
  *read(cursor, calls) {
    const id = yield* readName(cursor);
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes('<|tool_call_argument_begin|>'))) return false;
    const name = id.replace(/^functions\./, '').replace(/:\d+$/, '');
    return yield* readCallArguments(cursor, calls, { name, id });
  },
};
