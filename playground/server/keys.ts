/**
 * API keys. They are kept in memory only, and are never written to a file or sent to the page. A key belongs to the
 * origin that it was entered for, so that changing the endpoint does not send it to another server.
 */
export interface KeySafe {
  /** Stores a key. An empty key deletes the stored one. */
  keep(endpoint: string, key: string): void;
  keyFor(endpoint: string): string | undefined;
  sourceFor(endpoint: string): 'none' | 'typed' | 'environment';
  /** Returns all keys, for redaction. */
  all(): readonly string[];
}

export interface KeySafeOptions {
  /** `OPENAI_API_KEY` is used for the origin of `OPENAI_BASE_URL`, by default OpenAI's. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function createKeySafe({ environment }: KeySafeOptions): KeySafe {
  const { OPENAI_API_KEY: given, OPENAI_BASE_URL: home } = environment;
  const homeOrigin = toOrigin(home || 'https://api.openai.com');
  const typed = new Map<string, string>();

  function sourceFor(endpoint: string): 'none' | 'typed' | 'environment' {
    const origin = toOrigin(endpoint);
    if (origin === undefined) return 'none';
    if (typed.has(origin)) return 'typed';
    return given && origin === homeOrigin ? 'environment' : 'none';
  }

  return {
    keep(endpoint, key) {
      const origin = toOrigin(endpoint);
      if (origin === undefined) return;
      if (key === '') typed.delete(origin);
      else typed.set(origin, key);
    },
    keyFor(endpoint) {
      const source = sourceFor(endpoint);
      if (source === 'environment') return given;
      return source === 'typed' ? typed.get(toOrigin(endpoint) ?? '') : undefined;
    },
    sourceFor,
    all: () => [...typed.values(), ...(given ? [given] : [])],
  };
}

const toOrigin = (endpoint: string): string | undefined =>
  URL.canParse(endpoint) ? new URL(endpoint).origin : undefined;
