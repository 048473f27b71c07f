import { claudeFormat } from '../text-tools/formats/invoke.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { callIdsMiddleware } from './call-ids/call-ids-middleware.js';
import type { CallIdForm } from './call-ids/call-id-form.js';
import { toAlphanumericId } from './call-ids/to-alphanumeric-id.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { joinMiddlewares } from './join-middlewares.js';
import { matchModelName } from './match-model-name.js';

const LONGEST = 64;

/**
 * `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'` (CommandCodeAI/command-code#323); Amazon Bedrock takes
 * 64 characters at most (`toolUseId` of its Converse API).
 */
const wordCharacters: CallIdForm = {
  isValid: ({ toolCallId }) => toolCallId.length <= LONGEST && /^[a-zA-Z0-9_-]+$/.test(toolCallId),
  toValid({ toolCallId }, attempt) {
    const id = toolCallId.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    if (attempt === 0 && id.length <= LONGEST) return id;
    // What differs may be what was cut off, or replaced.
    const suffix = `_${toAlphanumericId(`${attempt} ${toolCallId}`, { length: 9 })}`;
    return id.slice(0, LONGEST - suffix.length) + suffix;
  },
};

/**
 * Claude refuses ids of calls with characters that other models use, such as `functions.get_weather:0`. Through servers
 * that know no tools, its calls come as text.
 */
export const claude = defineModelAdapter({
  name: 'claude',
  appliesTo: matchModelName('claude'),
  middleware: joinMiddlewares(
    callIdsMiddleware(wordCharacters),
    textToolsMiddleware({ formats: [claudeFormat] }),
  ),
});
