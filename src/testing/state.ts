import type { PlainObject } from '../shared/json.js';
import { toWireItem } from './events.js';
import type { EmulatedResponse } from './wire.js';
import { charactersPerToken } from './response.js';
import type { RequestRules, ScriptedResponse } from './scripts.js';
import type { StoredResponses } from './stored-responses.js';
import type { ToolCallFormat } from './text-tool-calls.js';

/** State that the emulator keeps between requests, and its settings. */
export interface EmulatorContext {
  readonly memory: ItemMemory;
  readonly responses: StoredResponses;
  readonly cache: PromptCache;
  /** Maximum tokens of a prompt. Undefined for no limit. */
  readonly contextWindow: number | undefined;
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

/** Earlier responses, against which the replayed items of a later request are validated. */
export interface ItemMemory {
  /** Stores a finished response and its conversation. */
  remember(response: EmulatedResponse, options: { items: readonly PlainObject[]; store: boolean }): void;
  /** Returns a stored item. Requests with `store: false` store nothing. */
  findItem(id: string): PlainObject | undefined;
  /** Returns the input and output items of a stored response, or `undefined`. */
  findConversation(responseId: string): readonly PlainObject[] | undefined;
  /** Returns the id of the reasoning item with this encrypted content, or `undefined` if the emulator did not create it. */
  findReasoningId(encryptedContent: string): string | undefined;
  /** Returns the id of the reasoning item that preceded a message or call. */
  findReasoningOf(itemId: string): string | undefined;
  /** Returns true if another item followed the reasoning item in its response. */
  hasFollower(reasoningId: string): boolean;
  /** Returns the call of the model with this `call_id`. */
  findCall(callId: string): PlainObject | undefined;
  /** Returns the conversation that a compaction item replaces, by its encrypted content. */
  findCompacted(encryptedContent: string): readonly PlainObject[] | undefined;
}

export function createItemMemory(): ItemMemory {
  const stored = new Map<string, PlainObject>();
  const conversations = new Map<string, readonly PlainObject[]>();
  const encrypted = new Map<string, string>();
  const reasoningOf = new Map<string, string>();
  const followed = new Set<string>();
  const calls = new Map<string, PlainObject>();
  const compacted = new Map<string, readonly PlainObject[]>();

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
      for (const [index, item] of output.entries()) {
        if (typeof item.call_id === 'string' && String(item.type).endsWith('_call'))
          calls.set(item.call_id, item);
        if (item.type === 'compaction') {
          compacted.set(String(item.encrypted_content), [...items, ...output.slice(0, index)]);
        }
      }
      if (!store) return;
      for (const item of output) stored.set(String(item.id), item);
      conversations.set(response.id, [...items, ...output]);
    },
    findItem: id => stored.get(id),
    findConversation: responseId => conversations.get(responseId),
    findReasoningId: encryptedContent => encrypted.get(encryptedContent),
    findReasoningOf: itemId => reasoningOf.get(itemId),
    hasFollower: reasoningId => followed.has(reasoningId),
    findCall: callId => calls.get(callId),
    findCompacted: encryptedContent => compacted.get(encryptedContent),
  };
}

/** Computes how much of a prompt is cached from the previous one. */
export interface PromptCache {
  /** Counts the cached tokens of a prompt and stores the prompt. */
  countCachedTokens(prompt: string, options: { model: string }): number;
}

// OpenAI caches prompts of at least 1024 tokens, in steps of 128, https://platform.openai.com/docs/guides/prompt-caching.
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

/** Returns the number of characters at the beginning that both texts have. Compares blocks, because prompts are long. */
function countShared(before: string, now: string): number {
  let shared = 0;
  for (let end = Math.min(before.length, now.length); shared < end;) {
    const middle = Math.ceil((shared + end) / 2);
    if (now.startsWith(before.slice(shared, middle), shared)) shared = middle;
    else end = middle - 1;
  }
  return shared;
}
