import { type ConvertedMessages, createConvertedMessages } from './request/input.js';
import { createReceivedItems, type ReceivedItems } from './request/received-items.js';
import { createIncrementalJson } from './incremental-json.js';

/** State shared by the requests of a turn. Each request repeats the history of the previous one and extends it. */
export interface TurnMemory {
  readonly messages: ConvertedMessages;
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
      const known = turn && memories.get(turn);
      if (known !== undefined) return known;
      const memory = {
        messages: createConvertedMessages(),
        received: createReceivedItems(),
        toInputJson: createIncrementalJson(),
      };
      if (turn !== undefined) memories.set(turn, memory);
      return memory;
    },
  };
}
