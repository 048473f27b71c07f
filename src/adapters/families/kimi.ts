import { readCallArguments } from '../../text-tools/values/json-call.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { readName } from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { callIdsMiddleware } from '../call-ids.js';
import { joinMiddlewares } from '../middleware.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { toolNamesMiddleware } from '../tool-names.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * Kimi K2 is trained on ids of the form `functions.<name>:<index>`, counted over the conversation. With other ids in its
 * history it returns nothing, or writes its calls as text: MoonshotAI/Kimi-K2, docs/tool_call_guidance.md;
 * getkimchi/kimchi#1063; ml-explore/mlx-lm#821. K3 and some servers of K2 omit the prefix and restart the count in
 * each response: fw-ai/fireconnect#16.
 */
export const kimiCallIdsMiddleware = callIdsMiddleware({
  isValid: ({ toolCallId, toolName }) => {
    const [, name, index = ''] = /^(?:functions\.)?(.+):(\d+)$/s.exec(toolCallId) ?? [];
    return name === toolName && index !== '';
  },
  toValid: ({ toolName, index }, attempt) => `functions.${toolName}:${index + attempt}`,
  repeated: 'new-call',
});

/**
 * `<|tool_calls_section_begin|>`, then `<|tool_call_begin|>functions.name:index<|tool_call_argument_begin|>{…}` and
 * `<|tool_call_end|>` for each call of Kimi K2. The text before the arguments is the call's id.
 *
 * @see https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
 */
export const kimiFormat: TextToolFormat = {
  name: 'kimi',
  openers: ['<|tool_call_begin|>'],
  prefixes: ['<|tool_calls_section_begin|>'],
  closers: ['<|tool_call_end|>', '<|tool_calls_section_end|>', '<|im_end|>'],
  // Kimi K2 Thinking starts calls without closing its reasoning.
  reasoningEnders: ['<|tool_calls_section_begin|>'],
  *read(cursor, calls) {
    const id = yield* readName(cursor);
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes('<|tool_call_argument_begin|>'))) return false;
    return yield* readCallArguments(cursor, calls, { name: id, id });
  },
};

/** Kimi requires call ids in its own format, and its special tokens arrive as text (vllm-project/vllm#46344). */
export const kimi = defineModelAdapter({
  name: 'kimi',
  appliesTo: matchModelName('kimi(?!-?k3)'),
  middleware: joinMiddlewares(
    kimiCallIdsMiddleware,
    toolNamesMiddleware,
    textToolsMiddleware({ formats: [kimiFormat], reasoning: [thinkTags] }),
  ),
});
