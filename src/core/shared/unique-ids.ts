/** Hands out ids and names that are unique among those that were handed out before. */
export interface UniqueIds {
  /** Takes the id if it is free. Returns false if it is taken. */
  claim(id: string): boolean;
  /** Takes the id if it is free, else `<id>_2`, `<id>_3` and so on. Returns the id that was taken. */
  take(id: string): string;
}

/**
 * @param taken Ids that are taken from the start.
 * @param isReserved Returns true for ids that `take` must not return but `claim` may still take.
 */
export function createUniqueIds(
  taken: Iterable<string> = [],
  isReserved?: (id: string) => boolean,
): UniqueIds {
  const used = new Set<string>(taken);
  /** The number to try next for an id. A server may use one id for all its calls. */
  const nextNumber = new Map<string, number>();

  return {
    claim(id) {
      if (used.has(id)) return false;
      used.add(id);
      return true;
    },
    take(id) {
      const isTaken = (candidate: string) => used.has(candidate) || isReserved?.(candidate) === true;
      let unique = id;
      if (isTaken(id)) {
        let number = nextNumber.get(id) ?? 2;
        do unique = `${id}_${number++}`;
        while (isTaken(unique));
        nextNumber.set(id, number);
      }
      used.add(unique);
      return unique;
    },
  };
}
