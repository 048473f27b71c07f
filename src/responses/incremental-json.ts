/**
 * Serializes lists that each begin with the items of the previous one, as the same objects. Those items are not
 * serialized again. Other lists are serialized completely.
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
