import { createJsonListFormat } from '../../text-tools/formats/json-list.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** `functools[{"name": …, "arguments": {…}}]` at the start of a line. */
export const phiFormat: TextToolFormat = createJsonListFormat('phi', {
  openers: [],
  lineOpeners: ['functools'],
  turnEnds: ['<|end|>'],
  isListOnly: true,
});

/** `<|tool_call|>[{"name": …, "arguments": {…}}]<|/tool_call|>`, the form that the chat template describes. */
export const phiTokenFormat: TextToolFormat = createJsonListFormat('phi-token', {
  openers: ['<|tool_call|>'],
  closers: ['<|/tool_call|>'],
});

/** Phi-4-mini writes a JSON list after the word `functools`, or between tokens. Other Phi models make no calls. */
export const phi4Mini = defineModelAdapter({
  name: 'phi-4-mini',
  appliesTo: matchModelName('phi.?4.mini'),
  middleware: textToolsMiddleware({ formats: [phiFormat, phiTokenFormat], reasoning: [thinkTags] }),
});
