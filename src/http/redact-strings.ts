/** A JSON value with all its texts redacted, names of fields included: a server may repeat a key in any of them. */
export function redactStrings(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(entry => redactStrings(entry, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redact(name), redactStrings(field, redact)]),
  );
}
