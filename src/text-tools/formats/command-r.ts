import { readJsonCalls } from '../json-call.js';
import type { TextToolFormat } from '../text-tool-format.js';

/** `<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": {…}}]<|END_ACTION|>`, as Command R7B writes it. */
export const commandRFormat: TextToolFormat = {
  name: 'command-r',
  openers: ['<|START_ACTION|>'],
  closers: ['<|END_ACTION|>'],
  artefacts: ['<|START_RESPONSE|>', '<|END_RESPONSE|>'],
  read: (cursor, calls) =>
    readJsonCalls(cursor, calls, {
      fields: { name: 'tool_name', arguments: ['parameters'], id: 'tool_call_id' },
    }),
};
