/** Cuts long strings anywhere in JSON, such as images in base64, and says by how much. */
export function shortenStrings(value: unknown, { maxCharacters }: { maxCharacters: number }): unknown {
  const shorten = (entry: unknown): unknown => {
    if (typeof entry === 'string') {
      const missing = entry.length - maxCharacters;
      return missing > 0 ? `${entry.slice(0, maxCharacters)}… (${missing} more characters)` : entry;
    }
    if (Array.isArray(entry)) return entry.map(shorten);
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, inner]) => [name, shorten(inner)]));
  };
  return shorten(value);
}
