/**
 * Writes lists as JSON of which each begins with the items of the one before, as the same objects: they are not written
 * anew. Others are written as a whole.
 */
export function createIncrementalJson(): (items: readonly unknown[]) => string {
  let known: readonly unknown[] = [];
  let json = '[]';
  return items => {
    const isGrown = known.length > 0 && known.every((item, index) => item === items[index]);
    const added = isGrown ? items.slice(known.length) : items;
    if (!isGrown) json = JSON.stringify(items);
    else if (added.length > 0) json = `${json.slice(0, -1)},${JSON.stringify(added).slice(1)}`;
    known = [...items];
    return json;
  };
}
