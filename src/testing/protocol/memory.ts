import type { PlainObject } from '../../shared/json.js';
import { type EmulatedResponse, toWireItem } from './wire.js';

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
