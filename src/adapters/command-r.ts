import { readJsonCalls } from '../text-tools/json-call.js';
import { cohereThinkTags } from '../text-tools/reasoning.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

/** `<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": {…}}]<|END_ACTION|>` of Command R7B. */
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

/** Command R7B and Command A write calls, reasoning and text between special tokens. */
export const commandR = defineModelAdapter({
  name: 'command-r',
  appliesTo: matchModelName('command-r', 'command-r7b', 'command-a', 'c4ai'),
  middleware: textToolsMiddleware({ formats: [commandRFormat], reasoning: [cohereThinkTags] }),
});
