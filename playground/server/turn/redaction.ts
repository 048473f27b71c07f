/** Blacks out secrets, in texts and in all strings of JSON. */
export interface Redactor {
  text(text: string): string;
  json(value: unknown): unknown;
  /** Header values whose names sound secret are blacked out whatever they are. */
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>;
}

const MARK = '[redacted]';

/** Shorter values are no secrets, and blacking them out would spoil every text. */
const MIN_LENGTH = 6;

const SECRET_HEADER = /auth|key|token|secret|cookie|session/i;

/** What looks secret wherever it stands: keys of known services, bearer tokens, user and password in an address. */
const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|ghp|gho|ghs|glpat|xox[abprs]|github_pat|hf)[-_][\w-]{8,}/g, MARK],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${MARK}`],
  [/(:\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${MARK}@`],
];

/** @param secrets Asked anew each time: keys may be typed in while the playground runs. */
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
