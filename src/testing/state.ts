import type { PlainObject } from '../shared/json.js';
import { toWireItem } from './events.js';
import type { EmulatedResponse } from './wire.js';
import { charactersPerToken } from './response.js';
import type { RequestRules, ScriptedResponse } from './scripts.js';
import type { ToolCallFormat } from './text-tool-calls.js';

/** State that the emulator keeps between requests, and its settings. */
export interface EmulatorContext {
  readonly memory: ItemMemory;
  readonly cache: PromptCache;
  readonly queue: ScriptedResponse[];
  /** The key of the current request. */
  readonly key?: string;
  readonly apiKeys?: readonly string[];
  readonly basePath: string;
  readonly latency: number;
  readonly validate: boolean;
  readonly rulesFor: (modelId: string) => RequestRules;
  readonly toolCallFormatFor: (modelId: string) => ToolCallFormat | undefined;
}

/** What the emulator remembers of earlier answers: enough to judge what a later request replays. */
export interface ItemMemory {
  /** Takes note of a finished answer and of the conversation it belongs to. */
  remember(response: EmulatedResponse, options: { items: readonly PlainObject[]; store: boolean }): void;
  /** A stored item. Nothing is stored of a request with `store: false`. */
  findItem(id: string): PlainObject | undefined;
  /** All items of a stored response and of what led to it, or `undefined`. */
  findConversation(responseId: string): readonly PlainObject[] | undefined;
  /** The id of the reasoning item that was encrypted here, or `undefined` if it was not. */
  findReasoningId(encryptedContent: string): string | undefined;
  /** The id of the reasoning item that a message or call was made with. */
  findReasoningOf(itemId: string): string | undefined;
  /** Whether the reasoning item was followed by another item of its response. */
  hasFollower(reasoningId: string): boolean;
}

export function createItemMemory(): ItemMemory {
  const stored = new Map<string, PlainObject>();
  const conversations = new Map<string, readonly PlainObject[]>();
  const encrypted = new Map<string, string>();
  const reasoningOf = new Map<string, string>();
  const followed = new Set<string>();

  function rememberOrder(output: readonly PlainObject[]): void {
    let reasoningId: string | undefined;
    for (const item of output) {
      const id = String(item.id);
      if (reasoningId !== undefined) {
        followed.add(reasoningId);
        if (item.type !== 'reasoning') reasoningOf.set(id, reasoningId);
      }
      if (item.type !== 'reasoning') continue;
      reasoningId = id;
      if (typeof item.encrypted_content === 'string') encrypted.set(item.encrypted_content, id);
    }
  }

  return {
    remember(response, { items, store }) {
      const output = response.output.map(toWireItem);
      rememberOrder(output);
      if (!store) return;
      for (const item of output) stored.set(String(item.id), item);
      conversations.set(response.id, [...items, ...output]);
    },
    findItem: id => stored.get(id),
    findConversation: responseId => conversations.get(responseId),
    findReasoningId: encryptedContent => encrypted.get(encryptedContent),
    findReasoningOf: itemId => reasoningOf.get(itemId),
    hasFollower: reasoningId => followed.has(reasoningId),
  };
}

/** Says how much of a prompt an earlier one has brought already. */
export interface PromptCache {
  /** Counts the cached tokens of a prompt and remembers the prompt. */
  countCachedTokens(prompt: string, options: { model: string }): number;
}

// OpenAI caches from 1024 tokens on, in steps of 128, https://platform.openai.com/docs/guides/prompt-caching.
const minTokens = 1024;
const stepTokens = 128;

export function createPromptCache(): PromptCache {
  const lastPrompts = new Map<string, string>();
  return {
    countCachedTokens(prompt, { model }) {
      const shared = countShared(lastPrompts.get(model) ?? '', prompt) / charactersPerToken;
      lastPrompts.set(model, prompt);
      return shared < minTokens ? 0 : Math.floor(shared / stepTokens) * stepTokens;
    },
  };
}

function countShared(before: string, now: string): number {
  let count = 0;
  while (count < now.length && before[count] === now[count]) count++;
  return count;
}
