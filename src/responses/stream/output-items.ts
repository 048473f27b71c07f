import { RESPONSE_LIMITS, ResponseLimitError } from '../../core/http/text-stream.js';
import { idOf, numberOf, type PlainObject } from '../../core/shared/json.js';
import { isHostedItem } from '../hosted-tools/index.js';
import { FunctionCallItem, type FunctionCallWriter } from './function-call-item.js';
import { createHostedItem, type HostedItemOptions } from './hosted-item.js';
import { MessageItem, type MessageWriter } from './message-item.js';
import {
  type CallIds,
  createCallIds,
  createOpaqueItem,
  type ItemEnd,
  type ItemKind,
  type OpaqueItemWriter,
  type OutputItem,
} from './output-item.js';
import { createReasoningItem } from './reasoning-item.js';
import type { StreamedText } from './verdict.js';

/** The receivers of what the items of a response contain, and facts about the response. */
export type ItemWriter = Omit<
  MessageWriter & FunctionCallWriter & HostedItemOptions & OpaqueItemWriter,
  'announced' | 'callIds'
>;

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
export class OutputItems {
  readonly message = new ItemsOfKind(it => new MessageItem(this.#nextId('message'), this.#begin(it)));
  readonly reasoning = new ItemsOfKind(it => createReasoningItem(this.#nextId('reasoning'), this.#begin(it)));
  readonly function_call = new ItemsOfKind(it => new FunctionCallItem(this.#begin(it)));
  readonly hosted = new ItemsOfKind(it => createHostedItem(this.#begin(it)));
  readonly opaque = new ItemsOfKind(it => createOpaqueItem(this.#begin(it)));
  readonly #writer: ItemWriter & { readonly callIds: CallIds };
  #count = 0;
  #ids = 0;
  #listsMessages = false;

  constructor(writer: ItemWriter) {
    this.#writer = { ...writer, callIds: createCallIds() };
  }

  /** Returns the items of the kind to which an item belongs. */
  of(wire: PlainObject): ItemsOfKind<OutputItem> {
    const { type } = wire;
    if (type === 'message' || type === 'reasoning' || type === 'function_call') return this[type];
    return isHostedItem(wire, this.#writer.declared.nameById) ? this.hosted : this.opaque;
  }

  /**
   * Adds content that is missing from the stream, without duplicating or removing any. The content and its order are
   * those of the terminal response's output. Opaque items in which an incomplete response ended are not added: they cannot
   * be sent back.
   */
  complete(output: readonly PlainObject[], options: { incomplete: boolean }): void {
    if (output.length > RESPONSE_LIMITS.items) throw tooManyItems();
    const matches = this.#match(output);
    for (const wire of output) {
      const items = this.of(wire);
      if (options.incomplete && items === this.opaque && wire.status === 'in_progress') continue;
      const entry = matches.get(wire) ?? items.begin({}, wire);
      entry.matched = true;
      if (!entry.item.closed) entry.item.finish(wire, { broken: options.incomplete });
      else entry.item.confirm?.(wire);
      this.#listsMessages ||= wire.type === 'message';
    }
  }

  /** Closes all open items. */
  closeAll(end: Required<ItemEnd>): void {
    for (const kind of CLOSING_ORDER) {
      for (const { item } of this[kind].entries) if (!item.closed) item.finish(undefined, end);
    }
  }

  /** Returns the streamed texts, and what the server reported of each. */
  texts(): StreamedText[] {
    const { entries } = this.message;
    const namesItems = this.#listsMessages || entries.some(entry => entry.announced);
    return entries.map(entry =>
      entry.item.streamed(!namesItems || entry.matched || (entry.announced && !this.#listsMessages)),
    );
  }

  /** Begins another response in the same stream: its terminal response does not contain the items so far. */
  beginResponse(): void {
    for (const kind of CLOSING_ORDER) {
      for (const entry of this[kind].entries) entry.matched = true;
    }
  }

  /** Ends what stands before a new item, and returns the writer of the item. */
  #begin(announced: PlainObject | undefined) {
    if (this.#count >= RESPONSE_LIMITS.items) throw tooManyItems();
    this.#count++;
    const newest = this.reasoning.entries.at(-1)?.item;
    if (newest?.closed === false) newest.settle();
    this.#writer.jsonAnswer?.continue();
    return { ...this.#writer, announced };
  }

  #nextId(kind: ItemKind): string {
    return `${kind}-${this.#ids++}`;
  }

  /** Matches the output of the terminal response with the streamed items, first by id, then by position or content. */
  #match(output: readonly PlainObject[]): Map<PlainObject, ItemEntry> {
    const matches = new Map<PlainObject, ItemEntry>();
    for (const wire of output) {
      // A call with a known id is the same call: with other arguments at the end it would run twice.
      const isCall = wire.type === 'function_call';
      const named = this.of(wire)
        .withIds(idsOf({}, wire))
        .find(entry => !entry.matched && (isCall || entry.item.isSameAs(wire)));
      if (named === undefined) continue;
      named.matched = true;
      matches.set(wire, named);
    }
    if (matches.size === output.length) return matches;
    const unmatched = new Map(
      CLOSING_ORDER.map(kind => [this[kind], this[kind].entries.filter(entry => !entry.matched)]),
    );
    for (const wire of output) {
      // Ids differ here on many servers: then the n-th item of a kind is the n-th streamed one.
      if (matches.has(wire)) continue;
      const isMatchedByOrder = wire.type === 'message' || wire.type === 'reasoning';
      const candidates = unmatched.get(this.of(wire)) ?? [];
      const at = isMatchedByOrder ? 0 : candidates.findIndex(entry => entry.item.isSameAs(wire));
      const entry = at < 0 ? undefined : candidates.splice(at, 1)[0];
      if (entry === undefined) continue;
      entry.matched = true;
      matches.set(wire, entry);
    }
    return matches;
  }
}

const CLOSING_ORDER: readonly ItemKind[] = ['reasoning', 'message', 'function_call', 'hosted', 'opaque'];

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

/**
 * The items of one kind by their names. An exact id match wins, then the output index, then the newest open item. Items are
 * found by index, because a response can have thousands of them.
 */
class ItemsOfKind<Item extends OutputItem> {
  readonly entries: ItemEntry<Item>[] = [];
  /** Number of deltas that belong to no item of the response. */
  foreignDeltas = 0;
  readonly #create: (announced: PlainObject | undefined) => Item;
  readonly #byId = new Map<string, ItemEntry<Item>[]>();
  readonly #byOutputIndex = new Map<number, ItemEntry<Item>[]>();
  /** The last delta with its item: the next one nearly always belongs to the same item, and names it equally. */
  #recent: { readonly event: PlainObject; readonly entry: ItemEntry<Item> } | undefined;

  constructor(create: (announced: PlainObject | undefined) => Item) {
    this.#create = create;
  }

  /** Handles `output_item.added`: begins an item, or completes one that an early delta began. */
  announce(event: PlainObject, wire: PlainObject): void {
    const early = this.#findOpen(event, wire);
    if (early?.announced === false) {
      early.announced = true;
      this.#addIds(early, event, wire);
      early.item.announce?.(wire);
      return;
    }
    const ids = idsOf({}, wire);
    if (early !== undefined && ids.some(id => early.ids.has(id))) return;
    const late = this.#findLate(event, ids);
    if (late === undefined) this.begin(event, wire);
    else late.isRepeated = true;
  }

  /**
   * Returns the open item to which a delta belongs. Begins one if `output_item.added` is late or missing. Undefined for a
   * finished item that was announced again.
   */
  at(event: PlainObject): Item | undefined {
    const recent = this.#recent;
    if (
      recent !== undefined &&
      recent.event.item_id === event.item_id &&
      recent.event.output_index === event.output_index &&
      !recent.entry.item.closed
    )
      return recent.entry.item;
    const open = this.#findOpen(event);
    if (open === undefined && this.#findLate(event, idsOf(event))?.isRepeated) return undefined;
    const entry = open ?? this.#guessOpen(event) ?? this.begin(event);
    const id = idOf(event.item_id);
    if (id !== undefined && entry.ids.has(id)) entry.isNamed = true;
    else if (id !== undefined && entry.isNamed) {
      // A server that names the item in its deltas means another one now.
      this.foreignDeltas++;
      return undefined;
    }
    this.#recent = { event, entry };
    return entry.item;
  }

  /** Handles `output_item.done`: finishes the item, or writes a new one if nothing of it was streamed. */
  finish(event: PlainObject, wire: PlainObject): void {
    const found = this.#findOpen(event, wire) ?? this.#findSimilar(wire);
    if (found === undefined && this.#isRepeated(event, wire)) return;
    const entry = found ?? this.begin(event, wire);
    this.#addIds(entry, event, wire);
    entry.item.finish(wire);
  }

  begin(event: PlainObject, wire?: PlainObject): ItemEntry<Item> {
    this.#recent = undefined;
    const item = this.#create(wire);
    const outputIndex = numberOf(event.output_index);
    const entry: ItemEntry<Item> = {
      item,
      order: this.entries.length,
      ids: new Set(),
      outputIndex,
      announced: wire !== undefined,
      matched: false,
      isRepeated: false,
      isNamed: false,
    };
    if (outputIndex !== undefined) addToList(this.#byOutputIndex, outputIndex, entry);
    this.entries.push(entry);
    this.#addIds(entry, event, wire);
    return entry;
  }

  /** Returns the items with one of the ids, oldest first. */
  withIds(ids: readonly string[]): readonly ItemEntry<Item>[] {
    let found: readonly ItemEntry<Item>[] = [];
    for (const id of new Set(ids)) {
      const more = this.#byId.get(id);
      if (more === undefined) continue;
      found = found.length === 0 ? more : [...new Set([...found, ...more])].sort((a, b) => a.order - b.order);
    }
    return found;
  }

  #addIds(entry: ItemEntry<Item>, event: PlainObject, wire: PlainObject | undefined): void {
    for (const id of idsOf(event, wire)) {
      if (entry.ids.has(id)) continue;
      entry.ids.add(id);
      addToList(this.#byId, id, entry);
      this.#recent = undefined;
    }
  }

  /** Finds the open item by its names. If several match, the newest is nearly always the right one. */
  #findOpen(event: PlainObject, wire?: PlainObject): ItemEntry<Item> | undefined {
    const outputIndex = numberOf(event.output_index);
    let named: ItemEntry<Item> | undefined;
    for (const entry of this.withIds(idsOf(event, wire))) {
      if (entry.item.closed) continue;
      // Among several with one id, the index decides.
      const isOther = named?.outputIndex === outputIndex && entry.outputIndex !== outputIndex;
      if (!isOther || outputIndex === undefined) named = entry;
    }
    if (named !== undefined || outputIndex === undefined) return named;
    return this.#byOutputIndex.get(outputIndex)?.findLast(isOpen);
  }

  /** Returns the open item of an event without a usable name: the newest, or the only one if the event has an id. */
  #guessOpen(event: PlainObject): ItemEntry<Item> | undefined {
    const outputIndex = numberOf(event.output_index);
    const isPossible = (entry: ItemEntry): boolean =>
      isOpen(entry) && (outputIndex === undefined || entry.outputIndex === undefined);
    const newest = this.entries.findLast(isPossible);
    const isNameless = outputIndex === undefined && idOf(event.item_id) === undefined;
    return isNameless || this.entries.find(isPossible) === newest ? newest : undefined;
  }

  /** Returns the only open item whose streamed content is a prefix of the finished item. */
  #findSimilar(wire: PlainObject): ItemEntry<Item> | undefined {
    const similar = this.entries.filter(entry => isOpen(entry) && entry.item.isSameAs(wire));
    return similar.length === 1 ? similar[0] : undefined;
  }

  /** Returns the finished item that an event names. Another item with the same id (xAI) has another index. */
  #findLate(event: PlainObject, ids: readonly string[]): ItemEntry<Item> | undefined {
    const outputIndex = numberOf(event.output_index);
    return this.withIds(ids).find(
      entry => entry.item.closed && (outputIndex === undefined || entry.outputIndex === outputIndex),
    );
  }

  /** Returns true for a second `done` of one item. Another item with the same id (xAI) has other content. */
  #isRepeated(event: PlainObject, wire: PlainObject): boolean {
    const outputIndex = numberOf(event.output_index);
    const callId = idOf(wire.call_id);
    return this.withIds(idsOf(event, wire)).some(
      entry =>
        entry.item.closed &&
        (outputIndex === undefined || entry.outputIndex === undefined || entry.outputIndex === outputIndex) &&
        (callId === undefined || entry.ids.has(callId)) &&
        entry.item.isSameAs(wire),
    );
  }
}

const isOpen = (entry: ItemEntry): boolean => !entry.item.closed;

function idsOf(event: PlainObject, wire?: PlainObject): string[] {
  const ids: string[] = [];
  for (const id of [event.item_id, wire?.id, wire?.call_id])
    if (typeof id === 'string' && id !== '') ids.push(id);
  return ids;
}

function addToList<Key, Entry>(lists: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
