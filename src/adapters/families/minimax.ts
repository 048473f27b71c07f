import { callListFormat } from '../../text-tools/formats/call-lists.js';
import { createInvokeFormat } from '../../text-tools/formats/invoke.js';
import {
  bareMinimaxM3Format,
  minimaxM3Format,
  minimaxM3Tokens,
} from '../../text-tools/formats/minimax-m3.js';
import { type ReasoningTags, thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** `<invoke>` calls in `<minimax:tool_call>` of MiniMax M2. A line break on one side of a value belongs to it. */
export const minimaxFormat: TextToolFormat = createInvokeFormat('minimax', {
  lists: ['minimax:tool_call'],
  trims: 'pair',
  closers: ['[e~['],
});

/** The tags of MiniMax M3. */
const minimaxThinkTags: ReasoningTags = { open: '<mm:think>', close: '</mm:think>' };

/** MiniMax M2 writes calls as `<minimax:tool_call>` (MiniMax-AI/MiniMax-M2.5#10), M3 with a token before each tag, M1 as JSON in `<tool_calls>`. */
export const minimax = defineModelAdapter({
  name: 'minimax',
  appliesTo: matchModelName('minimax'),
  middleware: textToolsMiddleware({
    formats: [minimaxM3Format, bareMinimaxM3Format, minimaxFormat, callListFormat, minimaxM3Tokens],
    reasoning: [thinkTags, minimaxThinkTags],
    // The chat template of M2 ends in `<think>`.
    startsInReasoning: modelId => /minimax-?m2/i.test(modelId),
  }),
});
