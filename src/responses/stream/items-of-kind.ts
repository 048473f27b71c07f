import { idOf, numberOf, type PlainObject } from '../../shared/json.js';
import type { OutputItem } from './output-item.js';

/** An output item with all names that events have used for it. */
export interface ItemEntry<Item extends OutputItem = OutputItem> {
  readonly item: Item;
  /** Position among the items of its kind, in the order in which they began. */
  readonly order: number;
  readonly ids: Set<string>;
  readonly outputIndex: number | undefined;
  /** True after `output_item.added`; false if only a delta has arrived. */
  announced: boolean;
  /** True if the terminal response contains the item. */
  matched: boolean;
}

/** The output items of one kind. Finds the item that an event refers to. */
export interface ItemsOfKind<Item extends OutputItem> {
  readonly entries: readonly ItemEntry<Item>[];
  /** Handles `output_item.added`: begins an item, or completes one that an early delta began. */
  announce(event: PlainObject, wire: PlainObject): void;
  /** Returns the open item to which a delta belongs. Begins one if `output_item.added` is late or missing. */
  at(event: PlainObject): Item;
  /** Handles `output_item.done`: finishes the item, or writes a new one if nothing of it was streamed. */
  finish(event: PlainObject, wire: PlainObject): void;
  begin(event: PlainObject, wire: PlainObject | undefined): ItemEntry<Item>;
  /** Returns the items with an id of the wire item, oldest first. */
  withIdsOf(wire: PlainObject): readonly ItemEntry<Item>[];
}

/** The item of the last delta, and the names that the event used for it. */
interface Recent<Item extends OutputItem> {
  readonly itemId: unknown;
  readonly outputIndex: unknown;
  readonly entry: ItemEntry<Item>;
}

export interface ItemsOfKindOptions<Item extends OutputItem> {
  readonly create: (announced: PlainObject | undefined) => Item;
  /** Called before an item begins. Throws if the response has too many. */
  readonly onBegin: () => void;
}

/**
 * Creates the collection of one kind. An exact id match wins, then the output index, then the newest open item. Items
 * are found by index, because a response can have thousands of them.
 */
export function createItemsOfKind<Item extends OutputItem>({
  create,
  onBegin,
}: ItemsOfKindOptions<Item>): ItemsOfKind<Item> {
  type Entry = ItemEntry<Item>;
  const entries: Entry[] = [];
  const byId = new Map<string, Entry[]>();
  const byOutputIndex = new Map<number, Entry[]>();
  // The next delta nearly always belongs to the same item.
  let recent: Recent<Item> | undefined;

  return {
    entries,
    begin,

    announce(event, wire) {
      const early = findOpen(event, wire);
      if (early?.announced === false) {
        early.announced = true;
        addIds(early, event, wire);
        early.item.announce?.(wire);
        return;
      }
      const isKnown = early !== undefined && idsOf({}, wire).some(id => early.ids.has(id));
      if (!isKnown && !isLate(event, wire)) begin(event, wire);
    },

    at(event) {
      if (recent === undefined || !isRecent(recent, event)) {
        const entry = findOpen(event) ?? guessOpen(event) ?? begin(event, undefined);
        recent = { itemId: event.item_id, outputIndex: event.output_index, entry };
      }
      return recent.entry.item;
    },

    finish(event, wire) {
      const found = findOpen(event, wire) ?? findSimilar(wire);
      if (found === undefined && isRepeated(event, wire)) return;
      const entry = found ?? begin(event, wire);
      addIds(entry, event, wire);
      entry.item.finish(wire);
    },

    withIdsOf: wire => withIds(idsOf({}, wire)),
  };

  function begin(event: PlainObject, wire: PlainObject | undefined): Entry {
    onBegin();
    recent = undefined;
    const entry: Entry = {
      item: create(wire),
      order: entries.length,
      ids: new Set(),
      outputIndex: numberOf(event.output_index),
      announced: wire !== undefined,
      matched: false,
    };
    addIds(entry, event, wire);
    if (entry.outputIndex !== undefined) addToList(byOutputIndex, entry.outputIndex, entry);
    entries.push(entry);
    return entry;
  }

  function addIds(entry: Entry, event: PlainObject, wire: PlainObject | undefined): void {
    for (const id of idsOf(event, wire)) {
      if (entry.ids.has(id)) continue;
      recent = undefined;
      entry.ids.add(id);
      addToList(byId, id, entry);
    }
  }

  function withIds(ids: readonly string[]): readonly Entry[] {
    const lists = [...new Set(ids)].flatMap(id => {
      const list = byId.get(id);
      return list === undefined ? [] : [list];
    });
    if (lists.length < 2) return lists[0] ?? [];
    return [...new Set(lists.flat())].sort((a, b) => a.order - b.order);
  }

  /** Finds the open item by its names. If several match, the newest is nearly always the right one. */
  function findOpen(event: PlainObject, wire?: PlainObject): Entry | undefined {
    const named = withIds(idsOf(event, wire));
    const outputIndex = numberOf(event.output_index);
    if (outputIndex === undefined) return named.findLast(isOpen);
    return (
      named.findLast(entry => isOpen(entry) && entry.outputIndex === outputIndex) ??
      named.findLast(isOpen) ??
      byOutputIndex.get(outputIndex)?.findLast(isOpen)
    );
  }

  /** Returns the open item of an event without a usable name: the newest, or the only one if the event has an id. */
  function guessOpen(event: PlainObject): Entry | undefined {
    const outputIndex = numberOf(event.output_index);
    const isPossible = (entry: Entry): boolean =>
      isOpen(entry) && (outputIndex === undefined || entry.outputIndex === undefined);
    const newest = entries.findLast(isPossible);
    const isNameless = outputIndex === undefined && idOf(event.item_id) === undefined;
    return isNameless || entries.find(isPossible) === newest ? newest : undefined;
  }

  /** Returns the only open item whose streamed content is a prefix of the finished item. */
  function findSimilar(wire: PlainObject): Entry | undefined {
    const similar = entries.filter(entry => isOpen(entry) && entry.item.isSameAs(wire));
    return similar.length === 1 ? similar[0] : undefined;
  }

  /** Returns true for an announcement of a finished item. Another item with the same id (xAI) has another index. */
  function isLate(event: PlainObject, wire: PlainObject): boolean {
    const outputIndex = numberOf(event.output_index);
    return withIds(idsOf({}, wire)).some(
      entry => entry.item.closed && (outputIndex === undefined || entry.outputIndex === outputIndex),
    );
  }

  /** Returns true for a second `done` of one item. Another item with the same id (xAI) has other content. */
  function isRepeated(event: PlainObject, wire: PlainObject): boolean {
    const outputIndex = numberOf(event.output_index);
    const callId = idOf(wire.call_id);
    return withIds(idsOf(event, wire)).some(
      ({ item, ids, outputIndex: ownIndex }) =>
        item.closed &&
        (outputIndex === undefined || ownIndex === undefined || ownIndex === outputIndex) &&
        (callId === undefined || ids.has(callId)) &&
        item.isSameAs(wire),
    );
  }
}

/** Returns true if an event names its item as the last delta did and the item is still open. */
const isRecent = (recent: Recent<OutputItem>, event: PlainObject): boolean =>
  recent.itemId === event.item_id && recent.outputIndex === event.output_index && !recent.entry.item.closed;

const isOpen = ({ item }: ItemEntry): boolean => !item.closed;

const idsOf = (event: PlainObject, wire: PlainObject | undefined): string[] =>
  [idOf(event.item_id), idOf(wire?.id), idOf(wire?.call_id)].filter(id => id !== undefined);

function addToList<Key, Entry>(lists: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
