/**
 * Where in a value one of these texts stands, as a path, or undefined where in all of it there is none. Looks at what
 * a logger could print: own properties that are not enumerable (a message, a stack, a cause), names, maps, headers.
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
