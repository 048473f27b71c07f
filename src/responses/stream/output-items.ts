import { RESPONSE_LIMITS, ResponseLimitError } from '../../core/http/text-stream.js';
import { idOf, numberOf, type PlainObject } from '../../core/shared/json.js';
import type { FunctionCallItem } from './function-call-item.js';
import type { HostedItem } from './hosted-item.js';
import type { MessageItem } from './message-item.js';
import type { ItemEnd, ItemKind, OutputItem } from './output-item.js';
import type { ReasoningItem } from './reasoning-item.js';
import type { StreamedText } from './verdict.js';

interface ItemOf {
  message: MessageItem;
  reasoning: ReasoningItem;
  function_call: FunctionCallItem;
  hosted: HostedItem;
  opaque: OutputItem;
}

export type ItemFactories = {
  readonly [Kind in ItemKind]: (announced: PlainObject | undefined) => ItemOf[Kind];
};

export interface OutputItemsOptions {
  readonly kindOf: (wire: PlainObject) => ItemKind;
  /** Called before an item begins. */
  readonly onBegin: () => void;
}

export interface OutputItems {
  /** Handles `output_item.added`: begins an item, or completes one that an early delta began. */
  announce(event: PlainObject, wire: PlainObject): void;
  /**
   * Returns the open item to which a delta belongs. Begins one if `output_item.added` is late or missing. Undefined for a
   * finished item that was announced again.
   */
  at<Kind extends ItemKind>(kind: Kind, event: PlainObject): ItemOf[Kind] | undefined;
  /** Handles `output_item.done`: finishes the item, or writes a new one if nothing of it was streamed. */
  finish(event: PlainObject, wire: PlainObject): void;
  /**
   * Adds content that is missing from the stream, without duplicating or removing any. The content and its order are
   * those of the terminal response's output. Opaque items in which an incomplete response ended are not added: they cannot
   * be sent back.
   */
  complete(output: readonly PlainObject[], options: { incomplete: boolean }): void;
  /** Closes all open items. */
  closeAll(options: Required<ItemEnd>): void;
  /** Returns the streamed texts, and what the server reported of each. */
  texts(): StreamedText[];
  /** Number of deltas that belong to no item of the response. */
  readonly foreignDeltas: number;
  /** Begins another response in the same stream: its terminal response does not contain the items so far. */
  beginResponse(): void;
}

/**
 * Finds the item that an event refers to. Servers identify items by `output_index` and `item_id`, and may get either
 * wrong:
 *
 * - GitHub Copilot sends a different `item_id` in every event, so items are matched by index (vercel/ai#18548).
 * - responses.js announces every item at index 0, Ollama and LiteLLM use an index twice: the id counts.
 * - vLLM changes ids, and the index of reasoning, between the deltas and the end (vllm-project/vllm#31761): the
 *   streamed content counts.
 * - llama.cpp sends no index, and identifies a function call by its call id (ggml-org/llama.cpp#20607).
 */
export function createOutputItems(create: ItemFactories, options: OutputItemsOptions): OutputItems {
  const { kindOf } = options;
  let count = 0;
  let listsMessages = false;
  const onBegin = (): void => {
    if (count >= RESPONSE_LIMITS.items) throw tooManyItems();
    count++;
    const newest = kinds.reasoning.entries.at(-1)?.item;
    if (newest?.closed === false) newest.settle();
    options.onBegin();
  };
  const kinds: { readonly [Kind in ItemKind]: ItemsOfKind<ItemOf[Kind]> } = {
    message: createItemsOfKind(create.message, onBegin),
    reasoning: createItemsOfKind(create.reasoning, onBegin),
    function_call: createItemsOfKind(create.function_call, onBegin),
    hosted: createItemsOfKind(create.hosted, onBegin),
    opaque: createItemsOfKind(create.opaque, onBegin),
  };

  return {
    announce: (event, wire) => kinds[kindOf(wire)].announce(event, wire),
    at: (kind, event) => kinds[kind].at(event),
    finish: (event, wire) => kinds[kindOf(wire)].finish(event, wire),

    complete(output, { incomplete }) {
      if (output.length > RESPONSE_LIMITS.items) throw tooManyItems();
      const matches = matchOutput(output, kinds, kindOf);
      for (const wire of output) {
        if (incomplete && kindOf(wire) === 'opaque' && wire.status === 'in_progress') continue;
        const entry = matches.get(wire) ?? kinds[kindOf(wire)].begin({}, wire);
        entry.matched = true;
        if (!entry.item.closed) entry.item.finish(wire);
        else entry.item.confirm?.(wire);
        listsMessages ||= wire.type === 'message';
      }
    },

    closeAll(end) {
      for (const kind of CLOSING_ORDER) {
        for (const { item } of kinds[kind].entries) if (!item.closed) item.finish(undefined, end);
      }
    },

    texts() {
      const { entries } = kinds.message;
      const namesItems = listsMessages || entries.some(entry => entry.announced);
      return entries.map(entry =>
        entry.item.streamed(!namesItems || entry.matched || (entry.announced && !listsMessages)),
      );
    },

    get foreignDeltas() {
      return kinds.message.foreign();
    },

    beginResponse() {
      for (const kind of CLOSING_ORDER) {
        for (const entry of kinds[kind].entries) entry.matched = true;
      }
    },
  };
}

const CLOSING_ORDER: readonly ItemKind[] = ['reasoning', 'message', 'function_call', 'hosted', 'opaque'];

type ItemsOfKind<Item extends OutputItem> = ReturnType<typeof createItemsOfKind<Item>>;

type EntriesByKind = Readonly<Record<ItemKind, Pick<ItemsOfKind<ItemOf[ItemKind]>, 'entries' | 'withIdsOf'>>>;

/** Matches the output of the terminal response with the streamed items, first by id, then by position or content. */
function matchOutput(
  output: readonly PlainObject[],
  kinds: EntriesByKind,
  kindOf: OutputItemsOptions['kindOf'],
): Map<PlainObject, ItemEntry> {
  const matches = new Map<PlainObject, ItemEntry>();
  const match = (wire: PlainObject, entry: ItemEntry | undefined): void => {
    if (entry === undefined) return;
    entry.matched = true;
    matches.set(wire, entry);
  };
  for (const wire of output) {
    const named = kinds[kindOf(wire)].withIdsOf(wire);
    // A call with a known id is the same call: with other arguments at the end it would run twice.
    const isCall = wire.type === 'function_call';
    match(
      wire,
      named.find(entry => !entry.matched && (isCall || entry.item.isSameAs(wire))),
    );
  }
  const unmatched = new Map(
    CLOSING_ORDER.map(kind => [kind, kinds[kind].entries.filter(entry => !entry.matched)]),
  );
  for (const wire of output) {
    // Ids differ here on many servers: then the n-th item of a kind is the n-th streamed one.
    if (matches.has(wire)) continue;
    const isMatchedByOrder = wire.type === 'message' || wire.type === 'reasoning';
    const candidates = unmatched.get(kindOf(wire)) ?? [];
    const at = isMatchedByOrder ? 0 : candidates.findIndex(entry => entry.item.isSameAs(wire));
    if (at >= 0) match(wire, candidates.splice(at, 1)[0]);
  }
  return matches;
}

const tooManyItems = (): ResponseLimitError => new ResponseLimitError('items', 'output items');

interface ItemEntry<Item extends OutputItem = OutputItem> {
  readonly item: Item;
  /** Position among the items of its kind, in the order in which they began. */
  readonly order: number;
  readonly ids: Set<string>;
  readonly outputIndex: number | undefined;
  /** True after `output_item.added`; false if only a delta has arrived. */
  announced: boolean;
  /** True if the terminal response contains the item. */
  matched: boolean;
  /** True if the item was announced again after its end. */
  isRepeated: boolean;
  /** True after a delta that names the item by its id. */
  isNamed: boolean;
}

/** The item of the last delta, and the names that the event used for it. */
interface Recent<Item extends OutputItem> {
  readonly itemId: unknown;
  readonly outputIndex: unknown;
  readonly entry: ItemEntry<Item>;
}

/** Creates the collection of one kind. `onBegin` is called before an item begins, and throws if there are too many. */
function createItemsOfKind<Item extends OutputItem>(
  create: (announced: PlainObject | undefined) => Item,
  onBegin: () => void,
) {
  const known = createEntries<Item>();
  // The next delta nearly always belongs to the same item.
  let recent: Recent<Item> | undefined;
  let foreign = 0;

  return {
    entries: known.entries,
    foreign: () => foreign,
    begin,

    announce(event: PlainObject, wire: PlainObject): void {
      const early = known.findOpen(event, wire);
      if (early?.announced === false) {
        early.announced = true;
        addIds(early, event, wire);
        early.item.announce?.(wire);
        return;
      }
      const isKnown = early !== undefined && idsOf({}, wire).some(id => early.ids.has(id));
      if (isKnown) return;
      const late = findLate(event, idsOf({}, wire));
      if (late === undefined) begin(event, wire);
      else late.isRepeated = true;
    },

    at(event: PlainObject): Item | undefined {
      if (recent === undefined || !isRecent(recent, event)) {
        const open = known.findOpen(event);
        if (open === undefined && findLate(event, idsOf(event, undefined))?.isRepeated) return undefined;
        const entry = open ?? known.guessOpen(event) ?? begin(event, undefined);
        const id = idOf(event.item_id);
        if (id !== undefined && entry.ids.has(id)) entry.isNamed = true;
        else if (id !== undefined && entry.isNamed) {
          // A server that names the item in its deltas means another one now.
          foreign++;
          return undefined;
        }
        recent = { itemId: event.item_id, outputIndex: event.output_index, entry };
      }
      return recent.entry.item;
    },

    finish(event: PlainObject, wire: PlainObject): void {
      const found = known.findOpen(event, wire) ?? findSimilar(wire);
      if (found === undefined && isRepeated(event, wire)) return;
      const entry = found ?? begin(event, wire);
      addIds(entry, event, wire);
      entry.item.finish(wire);
    },

    /** Returns the items with an id of the wire item, oldest first. */
    withIdsOf: (wire: PlainObject) => known.withIds(idsOf({}, wire)),
  };

  function begin(event: PlainObject, wire: PlainObject | undefined): ItemEntry<Item> {
    onBegin();
    recent = undefined;
    const entry = known.add(create(wire), { event, isAnnounced: wire !== undefined });
    addIds(entry, event, wire);
    return entry;
  }

  function addIds(entry: ItemEntry<Item>, event: PlainObject, wire: PlainObject | undefined): void {
    if (known.addIds(entry, idsOf(event, wire))) recent = undefined;
  }

  /** Returns the only open item whose streamed content is a prefix of the finished item. */
  function findSimilar(wire: PlainObject): ItemEntry<Item> | undefined {
    const similar = known.entries.filter(entry => isOpen(entry) && entry.item.isSameAs(wire));
    return similar.length === 1 ? similar[0] : undefined;
  }

  /** Returns the finished item that an event names. Another item with the same id (xAI) has another index. */
  function findLate(event: PlainObject, ids: readonly string[]): ItemEntry<Item> | undefined {
    const outputIndex = numberOf(event.output_index);
    return known
      .withIds(ids)
      .find(entry => entry.item.closed && (outputIndex === undefined || entry.outputIndex === outputIndex));
  }

  /** Returns true for a second `done` of one item. Another item with the same id (xAI) has other content. */
  function isRepeated(event: PlainObject, wire: PlainObject): boolean {
    const outputIndex = numberOf(event.output_index);
    const callId = idOf(wire.call_id);
    return known
      .withIds(idsOf(event, wire))
      .some(
        entry =>
          entry.item.closed &&
          (outputIndex === undefined ||
            entry.outputIndex === undefined ||
            entry.outputIndex === outputIndex) &&
          (callId === undefined || entry.ids.has(callId)) &&
          entry.item.isSameAs(wire),
      );
  }
}

/**
 * The items of one kind by their names. An exact id match wins, then the output index, then the newest open item. Items are
 * found by index, because a response can have thousands of them.
 */
function createEntries<Item extends OutputItem>() {
  type Entry = ItemEntry<Item>;
  const entries: Entry[] = [];
  const byId = new Map<string, Entry[]>();
  const byOutputIndex = new Map<number, Entry[]>();

  return {
    entries,
    withIds,

    add(item: Item, options: { event: PlainObject; isAnnounced: boolean }): Entry {
      const outputIndex = numberOf(options.event.output_index);
      const entry: Entry = {
        item,
        order: entries.length,
        ids: new Set(),
        outputIndex,
        announced: options.isAnnounced,
        matched: false,
        isRepeated: false,
        isNamed: false,
      };
      if (outputIndex !== undefined) addToList(byOutputIndex, outputIndex, entry);
      entries.push(entry);
      return entry;
    },

    /** Returns true if the item did not have one of the ids. */
    addIds(entry: Entry, ids: readonly string[]): boolean {
      const count = entry.ids.size;
      for (const id of ids) {
        if (!entry.ids.has(id)) addToList(byId, id, entry);
        entry.ids.add(id);
      }
      return entry.ids.size > count;
    },

    /** Finds the open item by its names. If several match, the newest is nearly always the right one. */
    findOpen(event: PlainObject, wire?: PlainObject): Entry | undefined {
      const named = withIds(idsOf(event, wire));
      const outputIndex = numberOf(event.output_index);
      if (outputIndex === undefined) return named.findLast(isOpen);
      return (
        named.findLast(entry => isOpen(entry) && entry.outputIndex === outputIndex) ??
        named.findLast(isOpen) ??
        byOutputIndex.get(outputIndex)?.findLast(isOpen)
      );
    },

    /** Returns the open item of an event without a usable name: the newest, or the only one if the event has an id. */
    guessOpen(event: PlainObject): Entry | undefined {
      const outputIndex = numberOf(event.output_index);
      const isPossible = (entry: Entry): boolean =>
        isOpen(entry) && (outputIndex === undefined || entry.outputIndex === undefined);
      const newest = entries.findLast(isPossible);
      const isNameless = outputIndex === undefined && idOf(event.item_id) === undefined;
      return isNameless || entries.find(isPossible) === newest ? newest : undefined;
    },
  };

  function withIds(ids: readonly string[]): readonly Entry[] {
    const lists = [...new Set(ids)].flatMap(id => {
      const list = byId.get(id);
      return list === undefined ? [] : [list];
    });
    if (lists.length < 2) return lists[0] ?? [];
    return [...new Set(lists.flat())].sort((a, b) => a.order - b.order);
  }
}

/** Returns true if an event names its item as the last delta did and the item is still open. */
const isRecent = (recent: Recent<OutputItem>, event: PlainObject): boolean =>
  recent.itemId === event.item_id && recent.outputIndex === event.output_index && !recent.entry.item.closed;

const isOpen = (entry: ItemEntry): boolean => !entry.item.closed;

const idsOf = (event: PlainObject, wire: PlainObject | undefined): string[] =>
  [idOf(event.item_id), idOf(wire?.id), idOf(wire?.call_id)].filter(id => id !== undefined);

function addToList<Key, Entry>(lists: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
