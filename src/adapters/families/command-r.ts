import { readJsonCalls } from '../../text-tools/values/json-call.js';
import { cohereThinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** `<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": {…}}]<|END_ACTION|>` of Command R7B. */
export const commandRFormat: TextToolFormat = {
  name: 'command-r',
  openers: ['<|START_ACTION|>'],
  closers: ['<|END_ACTION|>'],
  artefacts: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
  turnEnds: ['<|END_OF_TURN_TOKEN|>'],
  read: (cursor, calls) =>
    readJsonCalls(cursor, calls, {
      fields: { name: 'tool_name', arguments: ['parameters'], id: 'tool_call_id' },
    }),
};

/** Command R7B, Command A and North write calls, reasoning and text between special tokens. */
export const commandR = defineModelAdapter({
  name: 'command-r',
  appliesTo: matchModelName('command-r', 'command-r7b', 'command-a', 'c4ai', 'north'),
  middleware: textToolsMiddleware({ formats: [commandRFormat], reasoning: [cohereThinkTags] }),
});
