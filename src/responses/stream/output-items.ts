import { RESPONSE_LIMITS, ResponseLimitError } from '../../http/limits.js';
import type { FunctionCallItem } from './function-call-item.js';
import type { HostedItem } from './hosted-item.js';
import { createItemIndex } from './item-index.js';
import type { MessageItem } from './message-item.js';
import type { ItemKind } from './output-item.js';
import type { ReasoningItem } from './reasoning-item.js';
import { idOf, numberOf, type PlainObject } from '../../shared/json.js';

/** Begins an item of each kind, from what was announced of it. */
export type ItemFactories = {
  readonly [Kind in ItemKind]: (announced: PlainObject | undefined) => ItemOf[Kind];
};

interface ItemOf {
  message: MessageItem;
  reasoning: ReasoningItem;
  function_call: FunctionCallItem;
  hosted: HostedItem;
}

/** An item with all the names by which events have called it. */
interface Entry<Kind extends ItemKind = ItemKind> {
  readonly item: ItemOf[Kind];
  /** Its number among all items, in the order they began. */
  readonly order: number;
  readonly ids: Set<string>;
  readonly outputIndex: number | undefined;
  /** Whether `output_item.added` has come for it, or only a delta. */
  announced: boolean;
  /** Whether the terminal response's counterpart was found. */
  matched: boolean;
}

/** The item that an event meant, and how the event called it. */
interface Recent {
  readonly kind: ItemKind;
  readonly itemId: unknown;
  readonly outputIndex: unknown;
  readonly entry: Entry;
}

export interface OutputItems {
  /** The item that `output_item.added` announces: a new one, or the one that a hasty delta began. */
  announce<Kind extends ItemKind>(kind: Kind, event: PlainObject, wire: PlainObject): void;
  /** The open item that a delta belongs to; begun here where `output_item.added` is late or missing. */
  at<Kind extends ItemKind>(kind: Kind, event: PlainObject): ItemOf[Kind];
  /** Finishes the item that `output_item.done` means, or a new one where nothing was streamed of it. */
  finish<Kind extends ItemKind>(kind: Kind, event: PlainObject, wire: PlainObject): void;
  /**
   * Adds what the stream lost from the output of the terminal response, in its order; nothing twice, nothing taken
   * away.
   */
  fillIn(output: readonly PlainObject[]): void;
  /** Closes what is still open. */
  closeAll(options: { broken: boolean }): void;
  /** Another response begins in the same stream: what came so far is not what its terminal response speaks of. */
  beginAnew(): void;
}

/**
 * Knows which item an event means. Servers name items by `output_index` and `item_id`, and get either wrong:
 *
 * - GitHub Copilot sends another `item_id` with every event: the index counts (vercel/ai#18548).
 * - responses.js announces every item at index 0, Ollama and LiteLLM use an index twice: the id counts.
 * - vLLM changes ids, and the index of reasoning, between the deltas and the end (vllm-project/vllm#31761): what has
 *   been streamed tells.
 * - llama.cpp sends no index, and calls a function call by its call id (ggml-org/llama.cpp#20607).
 *
 * So an id that matches exactly wins, then the index, then the newest open item of the event's kind.
 */
export function createOutputItems(create: ItemFactories): OutputItems {
  const entries: { [Kind in ItemKind]: Entry<Kind>[] } = {
    message: [],
    reasoning: [],
    function_call: [],
    hosted: [],
  };
  // By what events call them, for an answer of thousands of items must not be searched at each event.
  const index = createItemIndex<Entry>();
  let count = 0;
  // What the last delta meant, for the next one nearly always means the same.
  let recent: Recent | undefined;

  return {
    announce(kind, event, wire) {
      const early = findOpen(kind, event, wire);
      if (early?.announced === false) {
        early.announced = true;
        learn(early, event, wire);
        early.item.announce?.(wire);
      } else if (!isKnown(early, wire) && !isLate(kind, event, wire)) {
        begin(kind, event, wire);
      }
    },

    at<Kind extends ItemKind>(kind: Kind, event: PlainObject) {
      if (recent === undefined || !isRecent(recent, { kind, event })) {
        const entry = findOpen(kind, event) ?? guessOpen(kind, event) ?? begin(kind, event, undefined);
        recent = { kind, itemId: event.item_id, outputIndex: event.output_index, entry };
      }
      return recent.entry.item as ItemOf[Kind];
    },

    finish(kind, event, wire) {
      const found = findOpen(kind, event, wire) ?? soleLookAlike(kind, wire);
      if (found === undefined && isFinished(kind, event, wire)) return;
      const entry = found ?? begin(kind, event, wire);
      learn(entry, event, wire);
      entry.item.finish(wire);
    },

    fillIn(output) {
      const counterparts = new Map<PlainObject, Entry>();
      const pair = (wire: PlainObject, entry: Entry | undefined) => {
        if (entry === undefined) return;
        entry.matched = true;
        counterparts.set(wire, entry);
      };
      if (output.length > RESPONSE_LIMITS.items) throw tooManyItems();
      for (const wire of output) {
        const named = index.all(toKeys(kindOf(wire), namesOf({}, wire)));
        pair(
          wire,
          named.find(entry => !entry.matched && (isCall(wire) || entry.item.isSameAs(wire))),
        );
      }
      const free = {
        message: entries.message.filter(isUnmatched),
        reasoning: entries.reasoning.filter(isUnmatched),
        function_call: entries.function_call.filter(isUnmatched),
        hosted: entries.hosted.filter(isUnmatched),
      };
      for (const wire of output) {
        // Ids differ here on many servers: then the n-th of a kind is the n-th that was streamed.
        if (counterparts.has(wire)) continue;
        const isPlain = wire.type === 'message' || wire.type === 'reasoning';
        const candidates: Entry[] = free[kindOf(wire)];
        const at = isPlain ? 0 : candidates.findIndex(entry => entry.item.isSameAs(wire));
        if (at >= 0) pair(wire, candidates.splice(at, 1)[0]);
      }
      for (const wire of output) {
        const entry = counterparts.get(wire) ?? begin(kindOf(wire), {}, wire);
        entry.matched = true;
        if (!entry.item.closed) entry.item.finish(wire);
      }
    },

    closeAll(options) {
      for (const kind of ['reasoning', 'message', 'function_call', 'hosted'] as const) {
        for (const { item } of entries[kind]) if (!item.closed) item.finish(undefined, options);
      }
    },

    beginAnew() {
      for (const kind of ['reasoning', 'message', 'function_call', 'hosted'] as const) {
        for (const entry of entries[kind]) entry.matched = true;
      }
    },
  };

  function begin<Kind extends ItemKind>(
    kind: Kind,
    event: PlainObject,
    wire: PlainObject | undefined,
  ): Entry<Kind> {
    if (count >= RESPONSE_LIMITS.items) throw tooManyItems();
    recent = undefined;
    const entry: Entry<Kind> = {
      item: create[kind](wire),
      order: count++,
      ids: new Set(),
      outputIndex: numberOf(event.output_index),
      announced: wire !== undefined,
      matched: false,
    };
    learn(entry, event, wire);
    if (entry.outputIndex !== undefined) index.add(toPlace(kind, entry.outputIndex), entry);
    entries[kind].push(entry);
    return entry;
  }

  function learn(entry: Entry, event: PlainObject, wire: PlainObject | undefined): void {
    for (const id of namesOf(event, wire)) {
      if (entry.ids.has(id)) continue;
      recent = undefined;
      entry.ids.add(id);
      for (const key of toKeys(entry.item.kind, [id])) index.add(key, entry);
    }
  }

  function findOpen<Kind extends ItemKind>(
    kind: Kind,
    event: PlainObject,
    wire?: PlainObject,
  ): Entry<Kind> | undefined {
    const names = toKeys(kind, namesOf(event, wire));
    const outputIndex = numberOf(event.output_index);
    // Of several, the newest, for that is nearly always the one.
    const found =
      (outputIndex !== undefined && index.newestOpen(names, entry => entry.outputIndex === outputIndex)) ||
      index.newestOpen(names) ||
      (outputIndex !== undefined && index.newestOpen([toPlace(kind, outputIndex)]));
    return (found || undefined) as Entry<Kind> | undefined;
  }

  /** The open item an event may mean that no name leads to: the newest, or the only one where an id is unknown. */
  function guessOpen<Kind extends ItemKind>(kind: Kind, event: PlainObject): Entry<Kind> | undefined {
    const outputIndex = numberOf(event.output_index);
    const candidates: readonly Entry[] = entries[kind];
    const isPossible = (entry: Entry) =>
      !entry.item.closed && (outputIndex === undefined || entry.outputIndex === undefined);
    const newest = candidates.findLast(isPossible);
    const isNameless = outputIndex === undefined && idOf(event.item_id) === undefined;
    const isChoice = newest !== undefined && (isNameless || candidates.find(isPossible) === newest);
    return (isChoice ? newest : undefined) as Entry<Kind> | undefined;
  }

  /** The only open item of the kind, if what was streamed of it begins the finished one. */
  function soleLookAlike<Kind extends ItemKind>(kind: Kind, wire: PlainObject): Entry<Kind> | undefined {
    const open = entries[kind].filter(entry => !entry.item.closed && entry.item.isSameAs(wire));
    return open.length === 1 ? (open[0] as Entry<Kind>) : undefined;
  }

  /** An announcement of what is finished already. Another item under the same id (xAI) has a place of its own. */
  function isLate(kind: ItemKind, event: PlainObject, wire: PlainObject): boolean {
    const outputIndex = numberOf(event.output_index);
    return index
      .all(toKeys(kind, namesOf({}, wire)))
      .some(
        ({ item, outputIndex: place }) => item.closed && (outputIndex === undefined || place === outputIndex),
      );
  }

  /** A second `done` for one item. Another item under the same id (xAI) says something else. */
  function isFinished(kind: ItemKind, event: PlainObject, wire: PlainObject): boolean {
    const outputIndex = numberOf(event.output_index);
    const callId = idOf(wire.call_id);
    return index
      .all(toKeys(kind, namesOf(event, wire)))
      .some(
        ({ item, ids, outputIndex: place }) =>
          item.closed &&
          (outputIndex === undefined || place === undefined || place === outputIndex) &&
          (callId === undefined || ids.has(callId)) &&
          item.isSameAs(wire),
      );
  }
}

/** Whether an event calls its item as the one before did. Only until an item closes, begins or gets a name. */
const isRecent = (recent: Recent, { kind, event }: { kind: ItemKind; event: PlainObject }): boolean =>
  recent.kind === kind &&
  recent.itemId === event.item_id &&
  recent.outputIndex === event.output_index &&
  !recent.entry.item.closed;

const isUnmatched = ({ matched }: Entry): boolean => !matched;

const tooManyItems = () => new ResponseLimitError('items', 'output items');

const toKeys = (kind: ItemKind, names: readonly string[]): string[] =>
  [...new Set(names)].map(name => `${kind} named ${name}`);

const toPlace = (kind: ItemKind, outputIndex: number): string => `${kind} at ${outputIndex}`;

const namesOf = (event: PlainObject, wire: PlainObject | undefined): string[] =>
  [idOf(event.item_id), idOf(wire?.id), idOf(wire?.call_id)].filter(name => name !== undefined);

const isKnown = (entry: Entry | undefined, wire: PlainObject): boolean =>
  entry !== undefined && isNamedAs(entry, wire);

const isNamedAs = (entry: Entry, wire: PlainObject): boolean =>
  namesOf({}, wire).some(name => entry.ids.has(name));

/** A call that is known by name is known: with other arguments at the end it would be called twice. */
const isCall = ({ type }: PlainObject): boolean => type === 'function_call';

/** The kind of an item of the wire. */
export function kindOf({ type }: PlainObject): ItemKind {
  return type === 'message' || type === 'reasoning' || type === 'function_call' ? type : 'hosted';
}
