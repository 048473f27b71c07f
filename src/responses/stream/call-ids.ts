/** The ids of the calls in one response: each call is shown under an id of its own. */
export interface CallIds {
  /** Takes the id, if it is free. */
  claim(id: string): boolean;
  /** Takes the id, or the next free one like it. */
  claimLike(id: string): string;
  /**
   * Notes that a call is complete.
   *
   * @returns whether the same call, by id and contents, was complete before: a server announced it twice.
   */
  isRepetition(id: string, contents: string): boolean;
}

export function createCallIds(): CallIds {
  const taken = new Set<string>();
  const complete = new Set<string>();
  /** The number to try next for an id: a server may give all its calls the same. */
  const nextNumber = new Map<string, number>();
  const claim = (id: string): boolean => {
    if (taken.has(id)) return false;
    taken.add(id);
    return true;
  };

  return {
    claim,
    claimLike(id) {
      let unique = id;
      let number = nextNumber.get(id) ?? 2;
      while (!claim(unique)) unique = `${id}_${number++}`;
      nextNumber.set(id, number);
      return unique;
    },
    isRepetition(id, contents) {
      const key = JSON.stringify([id, contents]);
      if (complete.has(key)) return true;
      complete.add(key);
      return false;
    },
  };
}
