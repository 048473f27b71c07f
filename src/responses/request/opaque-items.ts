import type { SharedV2ProviderOptions } from '@ai-sdk/provider';
import { COMPACTION_KIND, compactionOf, isWindow, opaqueItemOf } from '../../parts/opaque-items.js';
import { idOf, objectOf, type PlainObject, stringOf } from '../../shared/json.js';
import {
  type HostedInputItem,
  type InputItem,
  isCompaction,
  rebuiltItems,
  setReplacedItems,
} from '../wire.js';

/** A part of a history that may carry an item. `custom` parts have a kind and exist in `ai@7` only. */
export interface CarrierPart {
  readonly type: string;
  readonly kind?: unknown;
  readonly providerOptions?: SharedV2ProviderOptions;
}

/** Returns the item that a part of a history carries instead of content. Undefined for parts with content. */
export function carriedItemOf({ type, kind, providerOptions }: CarrierPart): HostedInputItem | undefined {
  const item = opaqueItemOf(providerOptions);
  if (item !== undefined) {
    const carried = { ...item, type: stringOf(item.type) };
    if (isWindow(providerOptions)) windows.add(carried);
    return carried;
  }
  return type === 'custom' && kind === COMPACTION_KIND ? compactionOf(providerOptions) : undefined;
}

/** Compactions whose conversation contains the items before them. */
const windows = new WeakSet<object>();

/** Returns the kind of content that another API defines. Undefined for other parts. */
export const foreignKindOf = ({ type, kind, providerOptions }: CarrierPart): string | undefined =>
  type === 'custom' ? idOf(kind) : idOf(providerOptions?.kelivo?.custom);

/**
 * Removes the items before the newest compaction, which contains what the model needs of them. System messages stay,
 * because the host may have changed them since then. Nothing is removed that a later item refers to: the API rejects the
 * output of a call, or the call of a program, that it does not find.
 *
 * https://developers.openai.com/api/docs/guides/compaction
 */
export function withoutCompacted(items: InputItem[]): InputItem[] {
  const newest = items.findLastIndex(isCompaction);
  const compaction = items[newest];
  if (compaction === undefined || contentsOf(compaction).some(item => windows.has(item))) return items;
  setReplacedItems(compaction, items.slice(0, newest));
  const start = findStart(items, newest);
  return [...items.slice(0, start).filter(isInstruction), ...items.slice(start)];
}

/** Returns the index from which all items are kept. */
function findStart(items: readonly InputItem[], newest: number): number {
  const required = new Set<string>();
  let start = items.length;
  const keepFrom = (index: number): void => {
    for (const item of items.slice(index, start)) for (const id of requiredBy(item)) required.add(id);
    start = index;
  };
  keepFrom(newest);
  for (;;) {
    const index = items.slice(0, start).findIndex(item => idsOf(item).some(id => required.has(id)));
    if (index < 0) break;
    keepFrom(index);
  }
  // The reasoning of a call precedes it.
  while (start < newest && items[start - 1]?.type === 'reasoning') start--;
  return start;
}

const isReference = ({ type }: InputItem): boolean => type === 'item_reference';

const isInstruction = (item: InputItem): boolean =>
  item.type === 'configuration_update' ||
  ('role' in item && item.role !== 'user' && item.role !== 'assistant');

const contentsOf = (item: InputItem): readonly PlainObject[] =>
  (isReference(item) ? rebuiltItems(item) : [item]).map(content => objectOf(content) ?? {});

/** Returns the ids by which other items refer to a call. */
const idsOf = (item: InputItem): string[] =>
  contentsOf(item).flatMap(({ type, id, call_id: callId }) => {
    if (stringOf(type).endsWith('_output')) return [];
    return [id, callId].flatMap(value => idOf(value) ?? []);
  });

/** Returns the ids of the calls and requests to which an item refers. */
const requiredBy = (item: InputItem): string[] =>
  contentsOf(item).flatMap(({ type, call_id: callId, caller, approval_request_id: requestId }) => {
    const call = stringOf(type).endsWith('_output') ? callId : undefined;
    return [call, objectOf(caller)?.caller_id, requestId].flatMap(value => idOf(value) ?? []);
  });
