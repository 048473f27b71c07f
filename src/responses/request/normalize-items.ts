import { answerPartsOf, type Prompt } from '../../core/prompt.js';
import { idOf, objectOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import {
  type InputItem,
  isCompaction,
  isFunctionCall,
  isReasoning,
  type ItemRelations,
  rebuiltItems,
} from '../wire.js';

/* Removes items of a history that the API rejects or no longer needs. */

export interface NormalizeItemsOptions {
  /** True if the items are a complete conversation. */
  readonly isComplete: boolean;
  readonly relations: ItemRelations;
  readonly store: boolean;
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly warn: (message: string) => void;
}

/** Removes reasoning that the API rejects, and from a complete conversation the items that a compaction replaces. */
export function normalizeItems(items: InputItem[], options: NormalizeItemsOptions): InputItem[] {
  return normalizeReasoning(options.isComplete ? withoutCompacted(items, options.relations) : items, options);
}

/**
 * Removes reasoning that the API rejects. A server that stores nothing requires the encrypted content, and every
 * reasoning item must precede an item of the same turn. With `synthesize`, function calls that lost their reasoning get
 * an empty reasoning item.
 */
function normalizeReasoning(items: InputItem[], options: NormalizeItemsOptions): InputItem[] {
  const kept = items.some(isReasoning) ? withoutTrailing(withReplayable(items, options)) : items;
  return options.missingReasoning === 'synthesize' ? withSynthesized(kept) : kept;
}

function withReplayable(items: readonly InputItem[], options: NormalizeItemsOptions): readonly InputItem[] {
  // If ids are sent, an item without content still contains the id that a call refers to.
  if (options.missingReasoning === 'synthesize') return items;
  const replayable = items.filter(
    item =>
      !isReasoning(item) ||
      item.encrypted_content !== undefined ||
      item.content !== undefined ||
      (options.store && item.id !== undefined),
  );
  if (replayable.length < items.length) {
    options.warn(
      'Reasoning parts without encrypted content are not supported when store is false. Skipping reasoning parts.',
    );
  }
  return replayable;
}

/** Returns the ids of the reasoning items that the API removed from earlier requests, because it could not use them. */
export function collectRemovedReasoning(prompt: Prompt): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const part of answerPartsOf(prompt))
    if ('own' in part) for (const id of part.own?.removedReasoning ?? []) ids.add(id);
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
const isSetting = (item: InputItem): boolean =>
  item.type === 'configuration_update' || item.type === 'additional_tools';

/**
 * Removes the items before the newest compaction, which contains what the model needs of them. System messages stay,
 * because the host may have changed them since then. Nothing is removed that a later item refers to: the API rejects the
 * output of a call, or the call of a program, that it does not find.
 *
 * https://developers.openai.com/api/docs/guides/compaction
 */
function withoutCompacted(items: InputItem[], relations: ItemRelations): InputItem[] {
  const newest = items.findLastIndex(item => isCompaction(item, relations));
  const compaction = items[newest];
  if (compaction === undefined) return items;
  const forms = [compaction, ...rebuiltItems(compaction, relations)];
  if (forms.some(form => relations.windows.has(form))) return items;
  for (const form of forms) relations.replaced.set(form, items.slice(0, newest));
  const start = findStart(items, newest, relations);
  return [...items.slice(0, start).filter(isInstruction), ...items.slice(start)];
}

/** Returns the index from which all items are kept. */
function findStart(items: readonly InputItem[], newest: number, relations: ItemRelations): number {
  const required = new Set<string>();
  let start = items.length;
  const keepFrom = (index: number): void => {
    for (const item of items.slice(index, start))
      for (const id of requiredBy(item, relations)) required.add(id);
    start = index;
  };
  keepFrom(newest);
  for (;;) {
    const index = items
      .slice(0, start)
      .findIndex(item => idsOf(item, relations).some(id => required.has(id)));
    if (index < 0) break;
    keepFrom(index);
  }
  // The reasoning of a call precedes it.
  while (start < newest && items[start - 1]?.type === 'reasoning') start--;
  return start;
}

const isInstruction = (item: InputItem): boolean =>
  item.type === 'configuration_update' ||
  ('role' in item && item.role !== 'user' && item.role !== 'assistant');

const contentsOf = (item: InputItem, relations: ItemRelations): readonly PlainObject[] =>
  (item.type === 'item_reference' ? rebuiltItems(item, relations) : [item]).map(
    content => objectOf(content) ?? {},
  );

const idsOf = (item: InputItem, relations: ItemRelations): string[] =>
  contentsOf(item, relations).flatMap(({ type, id, call_id: callId }) => {
    if (stringOf(type).endsWith('_output')) return [];
    return [id, callId].flatMap(value => idOf(value) ?? []);
  });

const requiredBy = (item: InputItem, relations: ItemRelations): string[] =>
  contentsOf(item, relations).flatMap(content => {
    const call = stringOf(content.type).endsWith('_output') ? content.call_id : undefined;
    return [call, objectOf(content.caller)?.caller_id, content.approval_request_id].flatMap(
      value => idOf(value) ?? [],
    );
  });
