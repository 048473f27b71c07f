/**
 * Returns the path at which a value contains one of the texts, or undefined. Searches everything that a logger could
 * print: properties that are not enumerable (message, stack, cause), names, maps and headers.
 */
export function findCanary(value: unknown, canaries: readonly string[]): string | undefined {
  return search(value, '$', new Set());

  function search(part: unknown, path: string, seen: Set<unknown>): string | undefined {
    if (typeof part === 'string') {
      const canary = canaries.find(one => part.includes(one));
      return canary === undefined ? undefined : `${path}: ${part.slice(0, 200)}`;
    }
    if ((typeof part !== 'object' && typeof part !== 'function') || part === null || seen.has(part))
      return undefined;
    seen.add(part);
    const entries = [
      ...Reflect.ownKeys(part).map(name => [String(name), Reflect.get(part, name)] as const),
      ...(part instanceof Map || part instanceof Headers ? [...part] : []),
    ];
    for (const [name, field] of entries) {
      const found = search(name, `name in ${path}`, seen) ?? search(field, `${path}.${String(name)}`, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
