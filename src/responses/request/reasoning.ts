import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { type InputItem, isFunctionCall, isReasoning } from '../wire.js';

export interface NormalizeReasoningOptions {
  readonly store: boolean;
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly warn: (message: string) => void;
}

/**
 * Removes reasoning that the API rejects. A server that stores nothing requires the encrypted content, and every
 * reasoning item must precede an item of the same turn. With `synthesize`, function calls that lost their reasoning get
 * an empty reasoning item.
 */
export function normalizeReasoning(items: InputItem[], options: NormalizeReasoningOptions): InputItem[] {
  const kept = items.some(isReasoning) ? withoutTrailing(withReplayable(items, options)) : items;
  return options.missingReasoning === 'synthesize' ? withSynthesized(kept) : kept;
}

function withReplayable(
  items: readonly InputItem[],
  { store, missingReasoning, warn }: NormalizeReasoningOptions,
): readonly InputItem[] {
  // If ids are sent, an item without content still contains the id that a call refers to.
  if (store || missingReasoning === 'synthesize') return items;
  // Plain reasoning is removed later, for servers that do not accept it.
  const replayable = items.filter(
    item => !isReasoning(item) || item.encrypted_content !== undefined || item.content !== undefined,
  );
  if (replayable.length < items.length) {
    warn(
      'Reasoning parts without encrypted content are not supported when store is false. Skipping reasoning parts.',
    );
  }
  return replayable;
}

/** Returns the ids of the reasoning items that the API removed from earlier requests, because it could not use them. */
export function collectRemovedReasoning(prompt: LanguageModelV2Prompt): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const { providerOptions } of content) {
      const removed = providerOptions?.kelivo?.removedReasoning;
      if (Array.isArray(removed)) for (const id of removed) ids.add(String(id));
    }
  }
  return ids;
}

/** Removes reasoning at the end of a response: the response was truncated, or its hosted tool call is not sent. */
function withoutTrailing(items: readonly InputItem[]): InputItem[] {
  const normalized: InputItem[] = [];
  let isFollowed = false;
  for (const item of items.toReversed()) {
    if (isReasoning(item) && !isFollowed) continue;
    normalized.push(item);
    if (!isSetting(item)) isFollowed = isOfModel(item);
  }
  return normalized.reverse();
}

function withSynthesized(items: readonly InputItem[]): InputItem[] {
  const ids = new Set(items.flatMap(item => (isReasoning(item) && item.id !== undefined ? [item.id] : [])));
  const normalized: InputItem[] = [];
  let hasReasoning = false;
  for (const item of items) {
    const id = isOfModel(item) && !hasReasoning ? toReasoningId(item) : undefined;
    if (id !== undefined && !ids.has(id)) {
      ids.add(id);
      normalized.push({ type: 'reasoning', id, summary: [] });
      hasReasoning = true;
    }
    hasReasoning = isOfModel(item) && (hasReasoning || isReasoning(item));
    normalized.push(item);
  }
  return normalized;
}

/** Returns the id of the reasoning that belongs to a call. The ids `rs_…` and `fc_…` share the part after the prefix. */
function toReasoningId(item: InputItem): string | undefined {
  if (!isFunctionCall(item)) return undefined;
  const rest = /^fc_([A-Za-z0-9_-]+)$/.exec(item.id ?? '')?.[1];
  return rest && `rs_${rest}`;
}

/**
 * Returns true for items of the model or the server, which form a response with the adjacent ones: all except messages
 * of the user, outputs of the host and settings. Items of unknown types come from the server.
 */
function isOfModel(item: InputItem): boolean {
  if ('role' in item) return item.role === 'assistant';
  return !(isSetting(item) || HOST_ITEM.test(item.type));
}

const HOST_ITEM = /_call_output$|^mcp_approval_response$/;

/** Returns true for items that change settings, at any position. */
const isSetting = ({ type }: InputItem): boolean =>
  type === 'configuration_update' || type === 'additional_tools';
