import * as z from 'zod/v4';
import { parseSettings } from '../../shared/settings.js';
import { readCallArguments, readJsonCalls } from '../../text-tools/values/json-call.js';
import { mistralThinkTags, thinkTags } from '../../text-tools/parser/reasoning.js';
import { type Reading, readName, type TextCursor } from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import type { ModelMiddleware } from '../../versions/middleware.js';
import { type CallIdFormat, callIdsMiddleware, toAlphanumericId } from '../call-ids.js';
import { joinMiddlewares } from '../middleware.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { type MessageOptions, messagesMiddleware } from './mistral-messages.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Options of `mistralMiddleware`. They change the request only, never the caller's history. */
export interface MistralOptions extends MessageOptions {
  /**
   * Sends call ids of nine letters and digits, and returns the caller's ids in the response.
   * @default true
   */
  callIds?: boolean;
  /**
   * Converts calls after `[TOOL_CALLS]` and reasoning in `[THINK]` to parts.
   * @default true
   */
  textCalls?: boolean;
}

/** Mistral rejects empty messages, so the texts of inserted messages are not empty. */
const insertedText = z
  .custom<string | false>(
    value => value === false || (typeof value === 'string' && value.trim() !== ''),
    'expected a non-empty text or false',
  )
  .optional();

const optionsSchema: z.ZodType<MistralOptions> = z.strictObject({
  callIds: z.boolean().optional(),
  textCalls: z.boolean().optional(),
  pairCalls: z.boolean().optional(),
  bridge: insertedText,
  moveSystem: z.boolean().optional(),
  dropEmpty: z.boolean().optional(),
  mergeNeighbours: z.boolean().optional(),
  continuation: insertedText,
  splitTextFromCalls: z.boolean().optional(),
});

/**
 * Adapts conversations to the rules of Mistral's models on any server: call ids, the order of messages, and calls or
 * reasoning in the text. The caller's history and ids stay unchanged.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid option.
 */
export function mistralMiddleware(options: MistralOptions = {}): ModelMiddleware {
  const {
    callIds = true,
    textCalls = true,
    ...messages
  } = parseSettings(optionsSchema, options, 'the options of mistralMiddleware');
  // The text middleware is innermost, so that the ids of calls in the text are translated too.
  return joinMiddlewares(
    messagesMiddleware(messages),
    ...(callIds ? [callIdsMiddleware(nineCharacters)] : []),
    ...(textCalls ? [textCallsMiddleware] : []),
  );
}

/**
 * `Tool call id was X but must be a-z, A-Z, 0-9, with a length of 9.` All tokenizers since v3 enforce this rule:
 * mistralai/mistral-common, protocol/instruct/validator.py.
 */
const nineCharacters: CallIdFormat = {
  isValid: ({ toolCallId }) => /^[a-zA-Z0-9]{9}$/.test(toolCallId),
  toValid: ({ toolCallId }, attempt) =>
    toAlphanumericId(attempt === 0 ? toolCallId : `${attempt} ${toolCallId}`, { length: 9 }),
};

/**
 * The four variants of `[TOOL_CALLS]`, by version of the tokenizer:
 *
 * - up to v7: `[{"name": …, "arguments": …, "id": …}]`
 * - v11: `name[CALL_ID]id[ARGS]{…}`
 * - later: `name[ARGS]{…}`
 * - servers that drop special tokens: `name{…}`
 *
 * @see https://github.com/mistralai/mistral-common
 */
export const mistralFormat: TextToolFormat = {
  name: 'mistral',
  openers: ['[TOOL_CALLS]'],
  closers: ['</s>'],
  *read(cursor, calls) {
    if ((yield* takesUpToList(cursor)) || (yield* cursor.peek()) === '{') {
      const fields = { name: 'name', arguments: ['arguments'], id: 'id' };
      return yield* readJsonCalls(cursor, calls, { fields, waitsForId: true });
    }
    const name = yield* readName(cursor);
    yield* cursor.takeSpace(MAX_STRAY);
    const id = (yield* cursor.takes('[CALL_ID]')) ? yield* readName(cursor) : '';
    yield* cursor.takeSpace(MAX_STRAY);
    yield* cursor.takes('[ARGS]');
    return yield* readCallArguments(cursor, calls, { name, ...(id !== '' && { id }) });
  },
};

/** The maximum number of stray characters between the marker and a list. vLLM skips a few stray words too. */
const MAX_STRAY = 32;

/** Takes stray characters before a list of calls. Takes nothing if there is no list. */
function* takesUpToList(cursor: TextCursor): Reading<boolean> {
  let length = 0;
  for (; length < MAX_STRAY; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || '{<\n'.includes(character)) return false;
    if (character === '[') break;
  }
  const isList = /^\[\s*\{/.test(yield* lookAhead(cursor, length));
  if (isList) cursor.take(length);
  return isList;
}

/** Returns the bracket at `offset` and the first character after it that is not white space. */
function* lookAhead(cursor: TextCursor, offset: number): Reading<string> {
  for (let length = offset + 1; length < offset + MAX_STRAY; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined) return '';
    if (character.trim() !== '') return `[${character}`;
  }
  return '';
}

const textCallsMiddleware = textToolsMiddleware({
  formats: [mistralFormat],
  reasoning: [mistralThinkTags, thinkTags],
});

/** Mistral rejects call ids and message orders that other models accept, and writes calls as `[TOOL_CALLS]`. */
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
