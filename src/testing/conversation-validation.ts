import { type ApiError, badRequest, itemNotFound } from './api-errors.js';
import { findUnpairedCall } from './pairing-validation.js';
import type { ItemMemory } from './state.js';
import type { PlainObject } from '../shared/json.js';
import { toItemType } from './request.js';

/**
 * Returns the API's first error for a conversation: unknown references, duplicate items, reasoning that is separated
 * from its following item, calls without outputs.
 *
 * `items` is the complete conversation, oldest first; `memory` contains the earlier responses.
 */
export function validateConversation(
  items: readonly PlainObject[],
  { memory }: { memory: ItemMemory },
): ApiError | undefined {
  for (const check of checks) {
    const error = check(items, memory);
    if (error !== undefined) return error;
  }
  return undefined;
}

const checks = [
  findUnknownItem,
  findDuplicate,
  findUnverified,
  findInvalidItem,
  findLoneReasoning,
  findLoneItem,
  findUnpairedCall,
];

function findUnknownItem(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  const isUnknown = (item: PlainObject): boolean => {
    if (toItemType(item) === 'item_reference') return true; // References to known items were already replaced.
    if (item.type !== 'reasoning' || isEncrypted(item)) return false;
    return typeof item.id !== 'string' || memory.findItem(item.id) === undefined;
  };
  const unknown = items.find(isUnknown);
  return unknown === undefined ? undefined : itemNotFound(String(unknown.id));
}

function findDuplicate(items: readonly PlainObject[]): ApiError | undefined {
  const seen = new Set<unknown>();
  for (const { id } of items) {
    if (typeof id === 'string' && seen.has(id)) {
      return badRequest(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        { param: 'input' },
      );
    }
    seen.add(id);
  }
  return undefined;
}

function findUnverified(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  for (const item of items) {
    if (item.type !== 'reasoning' || !isEncrypted(item)) continue;
    const id = memory.findReasoningId(String(item.encrypted_content));
    if (id === undefined) {
      return unverified(item, 'Encrypted content could not be decrypted or parsed.');
    }
    if (typeof item.id === 'string' && item.id !== id) {
      return unverified(item, 'Encrypted content item_id did not match the target item id.');
    }
  }
  return undefined;
}

function findLoneReasoning(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  for (const [index, item] of items.entries()) {
    const id = toReasoningId(item, memory);
    if (id === undefined || !memory.hasFollower(id) || isModelItem(items[index + 1])) continue;
    return badRequest(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
      param: 'input',
    });
  }
  return undefined;
}

function findLoneItem(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  const present = new Set(items.map(item => toReasoningId(item, memory)));
  for (const item of items) {
    const reasoningId = typeof item.id === 'string' ? memory.findReasoningOf(item.id) : undefined;
    if (reasoningId === undefined || present.has(reasoningId)) continue;
    return badRequest(
      `Item '${String(item.id)}' of type '${toItemType(item)}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
      { param: 'input' },
    );
  }
  return undefined;
}

/** Compaction, images and changes of the configuration that the API rejects. */
function findInvalidItem(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  for (const [index, item] of items.entries()) {
    if (item.type === 'compaction' && memory.findCompacted(String(item.encrypted_content)) === undefined) {
      return unverified(item, 'Encrypted content could not be decrypted or parsed.');
    }
    if (item.type === 'configuration_update' && items[index + 1]?.type === 'configuration_update') {
      return badRequest('Configuration updates cannot be consecutive.', { param: `input[${index + 1}]` });
    }
  }
  return undefined;
}

const isEncrypted = (item: PlainObject): boolean =>
  item.encrypted_content !== undefined && item.encrypted_content !== null;

/** Encrypted content identifies its item even without an `id`. */
const toReasoningId = (item: PlainObject, memory: ItemMemory): string | undefined => {
  if (item.type !== 'reasoning') return undefined;
  if (typeof item.id === 'string') return item.id;
  return memory.findReasoningId(String(item.encrypted_content));
};

const isModelItem = (item: PlainObject | undefined): boolean =>
  item !== undefined &&
  (toItemType(item) === 'message'
    ? item.role === 'assistant'
    : modelItems.has(toItemType(item)) || toItemType(item).endsWith('_call'));

/** Items that the model writes, besides messages and calls. */
const modelItems: ReadonlySet<string> = new Set([
  'reasoning',
  'program',
  'compaction',
  'mcp_approval_request',
]);

const unverified = ({ id }: PlainObject, reason: string): ApiError =>
  badRequest(
    `The encrypted content${typeof id === 'string' ? ` for item ${id}` : ''} could not be verified. Reason: ${reason}`,
    { code: 'invalid_encrypted_content' },
  );
