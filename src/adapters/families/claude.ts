import { createInvokeFormat } from '../../text-tools/formats/invoke.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { type CallIdFormat, callIdsMiddleware, toAlphanumericId } from '../call-ids.js';
import { joinMiddlewares } from '../middleware.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

const MAX_ID_LENGTH = 64;

/**
 * `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'` (CommandCodeAI/command-code#323). Amazon Bedrock accepts
 * at most 64 characters (`toolUseId` of its Converse API).
 */
const wordCharacters: CallIdFormat = {
  isValid: ({ toolCallId }) => toolCallId.length <= MAX_ID_LENGTH && /^[a-zA-Z0-9_-]+$/.test(toolCallId),
  toValid({ toolCallId }, attempt) {
    const id = toolCallId.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    if (attempt === 0 && id.length <= MAX_ID_LENGTH) return id;
    // Two ids may differ only in the characters that were removed or replaced.
    const suffix = `_${toAlphanumericId(`${attempt} ${toolCallId}`, { length: 9 })}`;
    return id.slice(0, MAX_ID_LENGTH - suffix.length) + suffix;
  },
};

/** Claude's `<invoke>` calls in `<function_calls>`, with markup characters escaped as entities. */
export const claudeFormat: TextToolFormat = createInvokeFormat('claude', {
  lists: ['function_calls', 'antml:function_calls'],
  hasEntities: true,
});

/**
 * Claude rejects call ids with characters that other models use, such as `functions.get_weather:0`. Servers without tool
 * support return its calls as text.
 */
export const claude = defineModelAdapter({
  name: 'claude',
  appliesTo: matchModelName('claude'),
  middleware: joinMiddlewares(
    callIdsMiddleware(wordCharacters),
    textToolsMiddleware({ formats: [claudeFormat] }),
  ),
});
