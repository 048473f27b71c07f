/** Redacts secrets in texts and in all strings of JSON. */
export interface Redactor {
  text(text: string): string;
  json(value: unknown): unknown;
  /** Redacts all values of headers with sensitive names, and secrets in other values. */
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>;
}

const MARK = '[redacted]';

/** Shorter values are not redacted: they would match ordinary text. */
const MIN_LENGTH = 6;

const SECRET_HEADER = /auth|key|token|secret|cookie|session/i;

/** Patterns of secrets: keys of known services, bearer tokens, user and password in a URL. */
const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|ghp|gho|ghs|glpat|xox[abprs]|github_pat|hf)[-_][\w-]{8,}/g, MARK],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${MARK}`],
  [/(:\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${MARK}@`],
];

/** @param secrets Called for each text, because keys can be entered while the playground runs. */
export function createRedactor(secrets: () => readonly string[]): Redactor {
  function text(value: string): string {
    const withoutSecrets = secrets()
      .filter(secret => secret.length >= MIN_LENGTH)
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, secret) => rest.replaceAll(secret, MARK), value);
    return SECRET_PATTERNS.reduce((rest, [pattern, mark]) => rest.replace(pattern, mark), withoutSecrets);
  }

  function json(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [text(name), json(entry)]));
  }

  return {
    text,
    json,
    headers: headers =>
      Object.fromEntries(
        [...headers].map(([name, value]) => [name, SECRET_HEADER.test(name) ? MARK : text(value)]),
      ),
  };
}
