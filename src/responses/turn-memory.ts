import { type ConvertedMessages, createConvertedMessages } from './request/input.js';
import { createReceivedItems, type ReceivedItems } from './request/received-items.js';

/** State shared by the requests of a turn. Each request repeats the history of the previous one and extends it. */
export interface TurnMemory {
  /** Undefined for a request without a turn. */
  readonly messages: ConvertedMessages | undefined;
  readonly received: ReceivedItems;
  /** Serializes the items of a request. */
  readonly toInputJson: (items: readonly unknown[]) => string;
}

export interface TurnMemories {
  /** Returns the memory of a turn, or an empty one for a request without a turn. */
  of(turn: object | undefined): TurnMemory;
}

export function createTurnMemories(): TurnMemories {
  // The memory of a turn is released with its token.
  const memories = new WeakMap<object, TurnMemory>();
  return {
    of(turn) {
      const received = createReceivedItems();
      if (turn === undefined) return { messages: undefined, received, toInputJson: JSON.stringify };
      const known = memories.get(turn);
      if (known !== undefined) return known;
      const memory = {
        messages: createConvertedMessages(),
        received,
        toInputJson: createIncrementalJson(),
      };
      memories.set(turn, memory);
      return memory;
    },
  };
}

/**
 * Serializes lists that each begin with the items of the previous one, as the same objects. Those items are not
 * serialized again. Other lists are serialized completely.
 *
 * @internal
 */
export function createIncrementalJson(): (items: readonly unknown[]) => string {
  let previous: readonly unknown[] = [];
  let json = '[]';
  return items => {
    const isGrown = previous.length > 0 && previous.every((item, index) => item === items[index]);
    const added = isGrown ? items.slice(previous.length) : items;
    if (!isGrown) json = JSON.stringify(items);
    else if (added.length > 0) json = `${json.slice(0, -1)},${JSON.stringify(added).slice(1)}`;
    previous = [...items];
    return json;
  };
}
