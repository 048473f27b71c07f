import { createUniqueIds, type UniqueIds } from '../../shared/unique-ids.js';

/** The ids of the tool calls in one response. */
export interface CallIds extends UniqueIds {
  /**
   * Records that a call is complete. Returns true if a call with the same id and contents was complete before: the
   * server announced it twice.
   */
  isRepetition(id: string, contents: string): boolean;
}

export function createCallIds(): CallIds {
  const complete = new Set<string>();
  return {
    ...createUniqueIds(),
    isRepetition(id, contents) {
      const key = JSON.stringify([id, contents]);
      if (complete.has(key)) return true;
      complete.add(key);
      return false;
    },
  };
}
