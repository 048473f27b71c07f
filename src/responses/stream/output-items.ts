import { RESPONSE_LIMITS, ResponseLimitError } from '../../http/limits.js';
import type { PlainObject } from '../../shared/json.js';
import type { FunctionCallItem } from './function-call-item.js';
import type { HostedItem } from './hosted-item.js';
import { createItemsOfKind, type ItemEntry, type ItemsOfKind } from './items-of-kind.js';
import type { MessageItem } from './message-item.js';
import type { OpaqueItem } from './opaque-item.js';
import type { ItemKind } from './output-item.js';
import type { ReasoningItem } from './reasoning-item.js';

interface ItemOf {
  message: MessageItem;
  reasoning: ReasoningItem;
  function_call: FunctionCallItem;
  hosted: HostedItem;
  opaque: OpaqueItem;
}

/** Creates an item of each kind from its announcement. */
export type ItemFactories = {
  readonly [Kind in ItemKind]: (announced: PlainObject | undefined) => ItemOf[Kind];
};

export interface OutputItemsOptions {
  /** Returns the kind of a wire item. */
  readonly kindOf: (wire: PlainObject) => ItemKind;
  /** Called before an item begins. */
  readonly onBegin: () => void;
}

export interface OutputItems {
  /** Handles `output_item.added`: begins an item, or completes one that an early delta began. */
  announce(event: PlainObject, wire: PlainObject): void;
  /** Returns the open item to which a delta belongs. Begins one if `output_item.added` is late or missing. */
  at<Kind extends ItemKind>(kind: Kind, event: PlainObject): ItemOf[Kind];
  /** Handles `output_item.done`: finishes the item, or writes a new one if nothing of it was streamed. */
  finish(event: PlainObject, wire: PlainObject): void;
  /**
   * Adds content that is missing from the stream, without duplicating or removing any. The content and its order are
   * those of the terminal response's output. Opaque items in which an incomplete response ended are not added: they cannot
   * be sent back.
   */
  complete(output: readonly PlainObject[], options: { incomplete: boolean }): void;
  /** Closes all open items. */
  closeAll(options: { broken: boolean }): void;
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
  const onBegin = (): void => {
    if (count >= RESPONSE_LIMITS.items) throw tooManyItems();
    count++;
    options.onBegin();
  };
  const kinds: { readonly [Kind in ItemKind]: ItemsOfKind<ItemOf[Kind]> } = {
    message: createItemsOfKind({ create: create.message, onBegin }),
    reasoning: createItemsOfKind({ create: create.reasoning, onBegin }),
    function_call: createItemsOfKind({ create: create.function_call, onBegin }),
    hosted: createItemsOfKind({ create: create.hosted, onBegin }),
    opaque: createItemsOfKind({ create: create.opaque, onBegin }),
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
      }
    },

    closeAll({ broken }) {
      for (const kind of CLOSING_ORDER) {
        for (const { item } of kinds[kind].entries) if (!item.closed) item.finish(undefined, { broken });
      }
    },

    beginResponse() {
      for (const kind of CLOSING_ORDER) {
        for (const entry of kinds[kind].entries) entry.matched = true;
      }
    },
  };
}

const CLOSING_ORDER: readonly ItemKind[] = ['reasoning', 'message', 'function_call', 'hosted', 'opaque'];

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
  const unmatchedOf = (kind: ItemKind): ItemEntry[] => kinds[kind].entries.filter(entry => !entry.matched);
  const unmatched: Readonly<Record<ItemKind, ItemEntry[]>> = {
    message: unmatchedOf('message'),
    reasoning: unmatchedOf('reasoning'),
    function_call: unmatchedOf('function_call'),
    hosted: unmatchedOf('hosted'),
    opaque: unmatchedOf('opaque'),
  };
  for (const wire of output) {
    // Ids differ here on many servers: then the n-th item of a kind is the n-th streamed one.
    if (matches.has(wire)) continue;
    const isMatchedByOrder = wire.type === 'message' || wire.type === 'reasoning';
    const candidates = unmatched[kindOf(wire)];
    const at = isMatchedByOrder ? 0 : candidates.findIndex(entry => entry.item.isSameAs(wire));
    if (at >= 0) match(wire, candidates.splice(at, 1)[0]);
  }
  return matches;
}

const tooManyItems = (): ResponseLimitError => new ResponseLimitError('items', 'output items');
