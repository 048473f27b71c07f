import type { Message, Prompt } from '../../core/prompt.js';
import { withChanges } from '../../core/source.js';
import { isContinuation, pairToolCalls } from '../../tool-calls/call-pairing.js';
import type { ModelMiddleware } from '../../versions/middleware.js';
import { createMiddleware } from '../middleware.js';

/** Options that make the order of messages acceptable to Mistral. */
export interface MessageOptions {
  /**
   * Gives each call exactly one result. An interrupted call gets a result that reports it, a result without a call gets
   * a call, a second result is removed, repeated ids are renamed, and calls that another provider executed become
   * ordinary calls.
   * @default true
   */
  pairCalls?: boolean;
  /**
   * The assistant message that is inserted between tool results and a user message, which must not follow each other.
   * `false` inserts nothing.
   * @default 'Understood.'
   */
  bridge?: string | false;
  /**
   * Moves system messages that follow the assistant or a tool to the end of the initial system messages.
   * @default true
   */
  moveSystem?: boolean;
  /**
   * Removes assistant messages without text or calls.
   * @default true
   */
  dropEmpty?: boolean;
  /**
   * Merges consecutive user messages and consecutive assistant messages: the chat templates of Ministral and older
   * models require the two roles to alternate.
   * @default true
   */
  mergeNeighbours?: boolean;
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

/**
 * Rearranges messages to follow the rules of mistral-common, protocol/instruct/validator.py. If the server stores the
 * conversation, the prompt is only a part of it and stays unchanged.
 */
export const messagesMiddleware = (options: MessageOptions): ModelMiddleware =>
  createMiddleware({
    wrap: model =>
      withChanges(model, call =>
        isContinuation(call)
          ? {}
          : { call: { ...call, prompt: rearrange(call.prompt, { ...options, provider: model.provider }) } },
      ),
  });

/** Applies the steps in an order in which each one relies on the ones before it. */
function rearrange(
  prompt: Prompt,
  {
    pairCalls = true,
    bridge = 'Understood.',
    moveSystem = true,
    dropEmpty = true,
    mergeNeighbours = true,
    continuation = 'Continue.',
    splitTextFromCalls = false,
    provider,
  }: MessageOptions & { provider: string },
): Prompt {
  let messages = prompt;
  // Mistral cannot represent another provider's hosted tools: their calls become ordinary calls.
  if (pairCalls) messages = pairToolCalls(messages, { isFunctionTool: () => true });
  if (dropEmpty) messages = dropEmptyMessages(messages);
  if (moveSystem) messages = hoistSystemMessages(messages);
  if (mergeNeighbours) messages = mergeNeighbouringMessages(messages);
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
  const start = kept.findIndex(({ role }) => role !== 'system');
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

/** Returns undefined for messages that cannot be merged. A message with calls is followed by their results. */
function merge(first: Message | undefined, second: Message): Message | undefined {
  if (first?.role === 'user' && second.role === 'user') {
    return { ...first, ...second, content: [...first.content, ...second.content] };
  }
  if (first?.role === 'assistant' && second.role === 'assistant') {
    if (first.content.some(({ type }) => type === 'tool-call')) return undefined;
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
 * reject it with
 * `Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant`.
 */
function endWithUserTurn(prompt: Prompt, { text, provider }: { text: string; provider: string }): Prompt {
  const last = prompt.at(-1);
  if (last?.role !== 'assistant') return prompt;
  // `@ai-sdk/mistral` (`mistral.chat`) sends every final assistant message with `prefix: true`.
  const isPrefix =
    provider.startsWith('mistral.') || last.providerOptions?.['openaiCompatible']?.['prefix'] === true;
  return isPrefix ? prompt : [...prompt, { role: 'user', content: [{ type: 'text', text }] }];
}

/**
 * Moves the text of assistant messages with calls to a message before them. Reasoning stays with the calls. Servers
 * reject mixed messages with `Assistant message must have either content or tool_calls, but not both.`
 */
const splitTextFromToolCalls = (prompt: Prompt): Prompt =>
  prompt.flatMap((message): Message[] => {
    if (message.role !== 'assistant' || !message.content.some(({ type }) => type === 'tool-call')) {
      return [message];
    }
    const isText = ({ type }: { type: string }): boolean => type !== 'tool-call' && type !== 'reasoning';
    const text = message.content.filter(isText);
    if (text.length === 0) return [message];
    return [
      ...dropEmptyMessages([{ role: 'assistant', content: text }]),
      { ...message, content: message.content.filter(part => !isText(part)) },
    ];
  });
