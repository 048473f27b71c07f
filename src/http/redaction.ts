/** Takes secrets out of what an error tells. */
export interface Redactor {
  redact(text: string): string;
  /**
   * Whether an error can be handed on as a cause: nothing in it is a secret, and nothing is an object (a `Request`, the
   * client of some library) of which a logger may print more than can be seen here.
   */
  isClean(value: unknown): boolean;
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [
    ...new Set(secrets.flatMap(secret => [secret, JSON.stringify(secret).slice(1, -1), toUrlForm(secret)])),
  ].sort((a, b) => b.length - a.length);
  const redact = (text: string): string =>
    forms.reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);

  return { redact, isClean: value => isClean(value, new Set()) };

  function isClean(value: unknown, seen: Set<unknown>): boolean {
    if (typeof value === 'string') return redact(value) === value;
    if (typeof value === 'function') return false;
    if (typeof value !== 'object' || value === null || seen.has(value)) return true;
    seen.add(value);
    if (!isPlain(value)) return false;
    // Those that are not enumerable, too: a message, a stack.
    return Object.getOwnPropertyNames(value).every(
      name => isClean(name, seen) && isClean(Reflect.get(value, name), seen),
    );
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null
  );
}

/** Lone surrogates have no form in an address. */
function toUrlForm(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}
