export interface JsonBounds {
  /** How many objects and arrays may lie within each other. */
  maxDepth: number;
  /** How many characters its keys and texts may have in all; every value counts as one more. */
  maxSize: number;
}

/**
 * Whether a JSON value keeps within bounds. Most code that walks a value is recursive, so one that is nested ten
 * thousand times would overflow the stack somewhere else; this does not recurse.
 */
export function isWithinBounds(value: unknown, { maxDepth, maxSize }: JsonBounds): boolean {
  const remaining: [value: unknown, depth: number][] = [[value, 0]];
  let size = 0;
  for (let next = remaining.pop(); next; next = remaining.pop()) {
    const [current, depth] = next;
    size += typeof current === 'string' ? current.length + 1 : 1;
    if (size > maxSize || depth > maxDepth) return false;
    if (typeof current !== 'object' || current === null) continue;
    for (const [key, child] of Object.entries(current)) {
      if (!Array.isArray(current)) size += key.length;
      remaining.push([child, depth + 1]);
    }
  }
  return true;
}
