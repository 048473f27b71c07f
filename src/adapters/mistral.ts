import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { mistralFormat } from '../text-tools/formats/mistral.js';
import { mistralThinkTags, thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { callIdsMiddleware } from './call-ids/call-ids-middleware.js';
import type { CallIdForm } from './call-ids/call-id-form.js';
import { toAlphanumericId } from './call-ids/to-alphanumeric-id.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { joinMiddlewares } from './join-middlewares.js';
import { matchModelName } from './match-model-name.js';
import type { MistralOptions } from './mistral/mistral-options.js';
import { messageOrderMiddleware } from './mistral-messages.js';
import { validateMistralOptions } from './mistral/validate-mistral-options.js';

/**
 * `Tool call id was X but must be a-z, A-Z, 0-9, with a length of 9.` The rule of every tokenizer since v3:
 * mistralai/mistral-common, protocol/instruct/validator.py.
 */
const nineCharacters: CallIdForm = {
  isValid: ({ toolCallId }) => /^[a-zA-Z0-9]{9}$/.test(toolCallId),
  toValid: ({ toolCallId }, attempt) =>
    toAlphanumericId(attempt === 0 ? toolCallId : `${attempt} ${toolCallId}`, { length: 9 }),
};

const writtenCalls = textToolsMiddleware({
  formats: [mistralFormat],
  reasoning: [mistralThinkTags, thinkTags],
});

/**
 * Makes conversations that others accept acceptable to Mistral's models, wherever they are served: ids of calls, the
 * order of messages, and calls or thoughts that come as text. The caller's own history and ids stay as they are.
 *
 * @throws KelivoError with code `invalid-settings` for an option that is unknown or wrong.
 */
export function mistralMiddleware(options: MistralOptions = {}): LanguageModelV2Middleware {
  const { callIds = true, textCalls = true, ...order } = validateMistralOptions(options);
  // Calls that are found in text are seen through the ids like others.
  return joinMiddlewares(
    messageOrderMiddleware(order),
    ...(callIds ? [callIdsMiddleware(nineCharacters)] : []),
    ...(textCalls ? [writtenCalls] : []),
  );
}

/** Mistral refuses ids of calls and orders of messages that others accept, and writes calls as `[TOOL_CALLS]`. */
export const mistral = defineModelAdapter({
  name: 'mistral',
  appliesTo: matchModelName(
    'mi[sx]tral',
    'mistrallite',
    'ministral',
    'magistral',
    'mathstral',
    'devstral',
    'codestral',
    'pixtral',
    'voxtral',
  ),
  middleware: mistralMiddleware(),
});
