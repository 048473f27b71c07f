interface Indexed {
  /** Its number among all, in the order they began. */
  readonly order: number;
  readonly item: { readonly closed: boolean };
}

/**
 * Finds items by the names and places that events give them, without looking at all of them at each event. Several may
 * have the same name.
 */
export interface ItemIndex<Entry extends Indexed> {
  add(key: string, entry: Entry): void;
  /** The items under any of the keys, oldest first. */
  all(keys: readonly string[]): readonly Entry[];
  /** The newest that is open. */
  newestOpen(keys: readonly string[], isWanted?: (entry: Entry) => boolean): Entry | undefined;
}

export function createItemIndex<Entry extends Indexed>(): ItemIndex<Entry> {
  const lists = new Map<string, Entry[]>();

  const all = (keys: readonly string[]): readonly Entry[] => {
    const found = keys.map(key => lists.get(key) ?? []).filter(list => list.length > 0);
    if (found.length < 2) return found[0] ?? [];
    return [...new Set(found.flat())].sort((a, b) => a.order - b.order);
  };

  return {
    all,
    add(key, entry) {
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [entry]);
      else list.push(entry);
    },
    newestOpen: (keys, isWanted = () => true) =>
      all(keys).findLast(entry => !entry.item.closed && isWanted(entry)),
  };
}
