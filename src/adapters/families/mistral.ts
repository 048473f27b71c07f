import * as z from 'zod/v4';
import type { Message, Prompt } from '../../core/prompt.js';
import { withChanges } from '../../core/source.js';
import { parseSettings } from '../../core/shared/settings.js';
import { continuesStoredResponse, pairToolCalls } from '../../core/tool-calls/call-pairing.js';
import type { ModelMiddleware } from '../../core/versions/middleware.js';
import { type CallIdFormat, callIdsMiddleware, toAlphanumericId } from '../kit/calls.js';
import { createMiddleware, joinMiddlewares, readerMiddleware } from '../kit/middleware.js';

/** Options of `mistralMiddleware`. They change the request only, never the caller's history. */
export interface MistralOptions {
  /**
   * The assistant message that is inserted between tool results and a user message, which must not follow each other.
   * `false` inserts nothing.
   * @default 'Understood.'
   */
  bridge?: string | false;
  /**
   * The user message that is appended to a conversation that ends with the assistant, which is rejected otherwise.
   * `false` appends nothing. Nothing is appended either if the last message is sent with `prefix: true`, so that the
   * model continues it: models of `@ai-sdk/mistral` always do, others with
   * `providerOptions: { openaiCompatible: { prefix: true } }`.
   * @default 'Continue.'
   */
  continuation?: string | false;
  /**
   * Moves the assistant's text to a message before the one with its calls. Tokenizers up to v3 reject text and calls in
   * one message.
   * @default false
   */
  splitTextFromCalls?: boolean;
}

/** Mistral rejects empty messages, so the texts of inserted messages are not empty. */
const insertedText = z
  .custom<string | false>(
    value => value === false || (typeof value === 'string' && value.trim() !== ''),
    'expected a non-empty text or false',
  )
  .optional();

const optionsSchema: z.ZodType<MistralOptions> = z.strictObject({
  bridge: insertedText,
  continuation: insertedText,
  splitTextFromCalls: z.boolean().optional(),
});

/**
 * Adapts conversations to the rules of Mistral's models on any server: call ids, the order of messages, and calls or
 * reasoning in the text. The caller's history and ids stay unchanged.
 *
 * @example
 * ```ts
 * wrapLanguageModel({ model, middleware: mistralMiddleware({ bridge: 'Verstanden.', continuation: 'Weiter.' }) });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid option.
 */
export function mistralMiddleware(options: MistralOptions = {}): ModelMiddleware {
  const checked = parseSettings(optionsSchema, options, 'the options of mistralMiddleware');
  return joinMiddlewares(
    createMiddleware({
      // If the server stores the conversation, the prompt is only a part of it and stays unchanged.
      wrap: model =>
        withChanges(model, call =>
          continuesStoredResponse(call)
            ? {}
            : { call: { ...call, prompt: rearrange(call.prompt, model.provider, checked) } },
        ),
    }),
    callIdsMiddleware(nineCharacters),
    // It is innermost, so that the ids of calls in the text are translated too.
    readerMiddleware(loadReader),
  );
}

const loadReader = () => import('./mistral-reader.js');

/**
 * `Tool call id was X but must be a-z, A-Z, 0-9, with a length of 9.` All tokenizers since v3 enforce this rule:
 * mistralai/mistral-common, protocol/instruct/validator.py.
 */
const nineCharacters: CallIdFormat = {
  isValid: call => /^[a-zA-Z0-9]{9}$/.test(call.toolCallId),
  toValid: (call, attempt) =>
    toAlphanumericId(attempt === 0 ? call.toolCallId : `${attempt} ${call.toolCallId}`, { length: 9 }),
};

/**
 * Rearranges messages to follow the rules of mistral-common, protocol/instruct/validator.py. Each step relies on the
 * ones before it.
 */
function rearrange(
  prompt: Prompt,
  provider: string,
  { bridge = 'Understood.', continuation = 'Continue.', splitTextFromCalls = false }: MistralOptions,
): Prompt {
  // Mistral cannot represent another provider's hosted tools: their calls become ordinary calls.
  const paired = pairToolCalls(prompt, { isFunctionTool: () => true });
  let messages = mergeNeighbouringMessages(hoistSystemMessages(dropEmptyMessages(paired)));
  if (bridge !== false) messages = insertAssistantBeforeUser(messages, bridge);
  if (continuation !== false) messages = endWithUserTurn(messages, { text: continuation, provider });
  return splitTextFromCalls ? splitTextFromToolCalls(messages) : messages;
}

/**
 * Removes assistant messages without text or calls, including those with reasoning alone. Servers reject them with
 * `Assistant message must have either content or tool_calls, but not none.`
 */
const dropEmptyMessages = (prompt: Prompt): Prompt =>
  prompt.filter(
    message =>
      message.role !== 'assistant' ||
      message.content.some(part =>
        part.type === 'text' ? part.text.trim() !== '' : part.type !== 'reasoning',
      ),
  );

/**
 * Moves system messages that follow the assistant or a tool to the initial ones. Servers reject them with
 * `Unexpected role 'system' after role 'assistant'`, and accept them after the user.
 */
function hoistSystemMessages(prompt: Prompt): Prompt {
  const hoisted: Message[] = [];
  const kept: Message[] = [];
  let previous: Message['role'] = 'system';
  for (const message of prompt) {
    if (message.role === 'system' && (previous === 'assistant' || previous === 'tool')) {
      hoisted.push(message);
      continue;
    }
    kept.push(message);
    previous = message.role;
  }
  const start = kept.findIndex(message => message.role !== 'system');
  return hoisted.length === 0 ? prompt : kept.toSpliced(start, 0, ...hoisted);
}

/**
 * Merges consecutive messages of the same role. Chat templates reject them with
 * `After the optional system message, conversation roles must alternate user and assistant roles...`
 */
function mergeNeighbouringMessages(prompt: Prompt): Prompt {
  const merged: Message[] = [];
  for (const message of prompt) {
    const joined = merge(merged.at(-1), message);
    if (joined === undefined) merged.push(message);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

/** Returns undefined for messages that cannot be merged. The results of a message with calls follow it. */
function merge(first: Message | undefined, second: Message): Message | undefined {
  if (first?.role === 'user' && second.role === 'user') {
    return { ...first, ...second, content: [...first.content, ...second.content] };
  }
  if (first?.role === 'assistant' && second.role === 'assistant') {
    return { ...first, ...second, content: [...first.content, ...second.content] };
  }
  return undefined;
}

/**
 * Inserts an assistant message between tool results and a user message. Servers reject this order with
 * `Unexpected role 'user' after role 'tool'`. mistral-common accepts it since 1.11.1, but many servers do not yet.
 */
const insertAssistantBeforeUser = (prompt: Prompt, text: string): Prompt =>
  prompt.flatMap((message, index) =>
    message.role === 'user' && prompt[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: [{ type: 'text', text }] }, message]
      : [message],
  );

/**
 * Appends a user message after a final assistant message, unless the model is asked to continue that message. Servers
 * reject it with `Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant`.
 */
function endWithUserTurn(prompt: Prompt, options: { text: string; provider: string }): Prompt {
  const last = prompt.at(-1);
  if (last?.role !== 'assistant') return prompt;
  // `@ai-sdk/mistral` (`mistral.chat`) sends every final assistant message with `prefix: true`.
  const isPrefix =
    options.provider.startsWith('mistral.') ||
    last.providerOptions?.['openaiCompatible']?.['prefix'] === true;
  return isPrefix ? prompt : [...prompt, { role: 'user', content: [{ type: 'text', text: options.text }] }];
}

/**
 * Moves the text of assistant messages with calls to a message before them. Reasoning stays with the calls. Servers
 * reject mixed messages with `Assistant message must have either content or tool_calls, but not both.`
 */
const splitTextFromToolCalls = (prompt: Prompt): Prompt =>
  prompt.flatMap((message): Message[] => {
    if (message.role !== 'assistant' || !message.content.some(part => part.type === 'tool-call')) {
      return [message];
    }
    const isText = (part: { type: string }): boolean =>
      part.type !== 'tool-call' && part.type !== 'reasoning';
    const text = message.content.filter(isText);
    if (text.length === 0) return [message];
    return [
      ...dropEmptyMessages([{ role: 'assistant', content: text }]),
      { ...message, content: message.content.filter(part => !isText(part)) },
    ];
  });
