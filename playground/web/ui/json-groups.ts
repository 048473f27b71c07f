/** Entries of one level that are displayed without groups, and of a group. */
const GROUP_SIZE = 100;

/**
 * Returns a value whose long arrays and objects are divided into groups, named by their first and last key. A tree draws only
 * groups that are open.
 */
export function groupEntries(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, groupEntries(entry)] as const);
  if (entries.length <= GROUP_SIZE) {
    return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
  }
  return toGroups(entries);
}

/** A million entries are three levels of groups. */
function toGroups(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const size = GROUP_SIZE ** Math.ceil(Math.log(entries.length) / Math.log(GROUP_SIZE) - 1);
  const groups: Record<string, unknown> = {};
  for (let from = 0; from < entries.length; from += size) {
    const part = entries.slice(from, from + size);
    const name = `${part[0]?.[0]} … ${part.at(-1)?.[0]}`;
    groups[name] = part.length > GROUP_SIZE ? toGroups(part) : Object.fromEntries(part);
  }
  return groups;
}

/** Counts the nodes of a tree. */
export const countNodes = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, entry) => sum + countNodes(entry), 1)
    : 1;
