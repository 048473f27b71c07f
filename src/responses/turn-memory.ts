import { type ConvertedMessages, createConvertedMessages } from './request/input.js';
import { createIncrementalJson } from './incremental-json.js';

/** What the requests of a turn share: each repeats the history of the one before and adds to it. */
export interface TurnMemory {
  readonly messages: ConvertedMessages;
  /** Writes the items of a request. */
  readonly toInputJson: (items: readonly unknown[]) => string;
}

export interface TurnMemories {
  /** The memory of a turn, by its token; an empty one for a request of no turn. */
  of(turn: object | undefined): TurnMemory;
}

export function createTurnMemories(): TurnMemories {
  // A turn's is gone with its token.
  const memories = new WeakMap<object, TurnMemory>();
  return {
    of(turn) {
      const known = turn && memories.get(turn);
      if (known !== undefined) return known;
      const memory = { messages: createConvertedMessages(), toInputJson: createIncrementalJson() };
      if (turn !== undefined) memories.set(turn, memory);
      return memory;
    },
  };
}
