import { createInvokeFormat } from '../text-tools/formats/invoke.js';
import { thinkTags } from '../text-tools/reasoning.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

/** `<invoke>` calls in `<minimax:tool_call>` of MiniMax M2. */
export const minimaxFormat: TextToolFormat = createInvokeFormat('minimax', {
  lists: ['minimax:tool_call'],
  trims: true,
  closers: ['[e~['],
  // Servers parse the calls of MiniMax M3 and leave these tokens in the text.
  artefacts: [']<]minimax[>[</tool_call>', ']<]minimax[>['],
});

/** MiniMax M2 writes calls as `<minimax:tool_call>` (MiniMax-AI/MiniMax-M2.5#10). M3 leaves special tokens in its text. */
export const minimax = defineModelAdapter({
  name: 'minimax',
  appliesTo: matchModelName('minimax'),
  middleware: textToolsMiddleware({ formats: [minimaxFormat], reasoning: [thinkTags] }),
});
