import { isPlainObject, type PlainObject } from '../shared/json.js';
import { INNOCENT_PARAMETER, SECRET_NAMES, secretPatterns } from './rules.js';

/** Replaces a secret in errors, logs and metadata. */
export const MARK = '[redacted]';

/** Removes secrets from errors, logs and metadata. Text that the model reads is never redacted. */
export interface Redactor {
  /** Removes the known secrets and any text that looks like a secret. Used for errors and logs. */
  redact(text: string): string;
  /** Removes only the known secrets. Used for data that must otherwise arrive unchanged. */
  redactKnown(text: string): string;
  /**
   * Returns true if an error can be passed on as a cause. It must contain no secret and no object (a `Request`, the client
   * of a library) with internal state that a logger could print.
   */
  isClean(value: unknown): boolean;
}

/** Creates a redactor for known secret values. */
export function createRedactor(secrets: readonly string[]): Redactor {
  // Most requests have nothing to redact.
  let spellings: ReadonlySet<string> | undefined;
  const redact = (text: string): string =>
    replaceRanges(text, findRanges(text, (spellings ??= toSpellings(secrets))));
  const redactKnown = (text: string): string =>
    replaceRanges(text, findRanges(text, (spellings ??= toSpellings(secrets)), []));

  return { redact, redactKnown, isClean: value => isClean(value, new Set()) };

  function isClean(value: unknown, seen: Set<unknown>): boolean {
    if (typeof value === 'string') return redact(value) === value;
    if (typeof value === 'function') return false;
    if (typeof value !== 'object' || value === null || seen.has(value)) return true;
    seen.add(value);
    if (!isPlain(value)) return false;
    // Includes properties that are not enumerable, such as the message and the stack.
    return Object.getOwnPropertyNames(value).every(
      name => isClean(name, seen) && isClean(Reflect.get(value, name), seen),
    );
  }
}

/** Shorter values of an application are not replaced, because they occur in ordinary text. */
const MIN_KNOWN_LENGTH = 6;

/** Options of `redactSecrets`. */
export interface RedactSecretsOptions {
  /**
   * Values to replace as well, also in JSON, in addresses, in hexadecimal digits and in base64. Those of less than six characters are ignored.
   * @default none
   */
  readonly secrets?: readonly string[];
  /** The name of the header that contains the text, which may mean that all of it is secret. */
  readonly header?: string;
  /** The name of the JSON field that contains the text, likewise. */
  readonly field?: string;
  /**
   * Returns the replacement of a secret at a position of the text.
   * @default `[redacted]`
   */
  readonly replace?: (secret: string, position: number) => string;
}

/**
 * Replaces secrets in a text by `[redacted]`, by the rules that this package applies to errors, logs and telemetry: keys of
 * known services, tokens, private keys, and values of names such as `password`. Use it for your own logs and exports.
 */
export function redactSecrets(
  text: string,
  { secrets = [], header, field, replace = toMark }: RedactSecretsOptions = {},
): string {
  const isSecret =
    text !== '' &&
    ((header !== undefined && isSecretName(header)) ||
      (field !== undefined && SECRET_NAMES.field.pattern.test(field)));
  if (isSecret) return replace(text, 0);
  const spellings = toSpellings(secrets.filter(secret => secret.length >= MIN_KNOWN_LENGTH));
  return replaceRanges(text, findRanges(text, spellings), replace);
}

/** Positions of a secret in a text: from, up to but not including. */
type Range = [from: number, to: number];

/** Finds known secrets, and text that matches a pattern of secrets. */
function findRanges(
  text: string,
  spellings: ReadonlySet<string>,
  patterns: readonly RegExp[] = secretPatterns(),
): Range[] {
  const ranges: Range[] = [];
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      const secret = match.findLast(group => group !== undefined) ?? '';
      const end = match.index + match[0].length;
      ranges.push([end - secret.length, end]);
    }
  }
  for (const spelling of spellings) {
    let last: Range | undefined;
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1)) {
      const end = at + spelling.length;
      // A spelling such as `xxxx` overlaps itself at every position of a long run.
      if (last !== undefined && at <= last[1]) last[1] = end;
      else ranges.push((last = [at, end]));
    }
  }
  return ranges;
}

/** Returns true for text that contains what looks like a secret. */
export function looksSecret(text: string): boolean {
  for (const pattern of secretPatterns()) if (text.search(pattern) >= 0) return true;
  return false;
}

const toMark = (): string => MARK;

/** Replaces ranges. Those that overlap or touch are one secret. */
function replaceRanges(
  text: string,
  ranges: readonly Range[],
  replace: (secret: string, position: number) => string = toMark,
): string {
  if (ranges.length === 0) return text;
  let result = '';
  let end = 0;
  const sorted = ranges.toSorted((a, b) => a[0] - b[0]);
  for (let index = 0; index < sorted.length;) {
    const [from, first] = sorted[index] ?? [end, end];
    let to = first;
    for (index++; (sorted[index]?.[0] ?? Infinity) <= to; index++)
      to = Math.max(to, sorted[index]?.[1] ?? to);
    result += text.slice(end, from) + replace(text.slice(from, to), from);
    end = to;
  }
  return result + text.slice(end);
}

/**
 * Returns the secrets as they are, and as they are written in JSON, in JSON within JSON, in addresses, in hexadecimal digits
 * and in base64, also after other text: `user:key`.
 */
function toSpellings(secrets: readonly string[]): Set<string> {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret === '') continue;
    const json = JSON.stringify(secret).slice(1, -1);
    // In bytes, U+FFFD replaces a lone surrogate.
    const sent = secret.replace(/\p{Surrogate}/gu, '\ufffd');
    for (const text of [secret, json, JSON.stringify(json).slice(1, -1), sent, encodeURIComponent(sent)])
      spellings.add(text);
    let hex = '';
    let bytes = '';
    for (const byte of new TextEncoder().encode(secret)) {
      hex += byte.toString(16).padStart(2, '0');
      bytes += String.fromCharCode(byte);
    }
    spellings.add(hex).add(hex.toUpperCase());
    const base64 = [btoa(bytes), btoa(bytes).replaceAll('=', '')];
    // The middle of a short one occurs in ordinary base64.
    const positions = bytes.length < MIN_KNOWN_LENGTH ? 1 : 3;
    for (let position = 0; position < positions; position++) {
      // The digits that depend on nothing but the secret, after so many bytes of other text.
      const shifted = '\0'.repeat(position) + bytes;
      const [start, end] = [Math.ceil((position * 8) / 6), Math.floor((shifted.length * 8) / 6)];
      base64.push(btoa(shifted).slice(start, end));
    }
    for (const text of base64) spellings.add(text).add(text.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return spellings;
}

/** Redacts all strings of a JSON value of an error, including field names: a server may repeat a key in any of them. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(entry => redactJson(entry, redact));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redact(name), redactJson(field, redact)]),
  );
}

/** Redacts an error body as `redactJson` does, and the text of fields such as `token` and `password`. */
export const redactErrorJson = (value: unknown, redact: (text: string) => string): unknown =>
  redactJson(hideCredentialFields(value), redact);

export const isSecretField = (name: string): boolean => SECRET_NAMES.field.pattern.test(name);

function hideCredentialFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideCredentialFields);
  if (!isPlainObject(value)) return value;
  return mapFields(value, (name, field) =>
    typeof field === 'string' && field !== '' && isSecretField(name) ? MARK : hideCredentialFields(field),
  );
}

type HeaderList = Iterable<readonly [name: string, value: string]>;

/** Redacts headers for a log: the complete value under a secret name, credentials in other values. */
export const redactHeaders = (
  headers: HeaderList,
  redact: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, value]) => [name, isSecretName(name) ? MARK : redact(value)]));

/** Redacts the values of response headers. Names are ignored: `x-ratelimit-remaining-tokens` must stay readable. */
export function redactHeaderValues(
  headers: HeaderList,
  redact: (text: string) => string,
): Record<string, string> {
  const values = Object.fromEntries(headers);
  // Most responses are clean, which one search shows. No value contains NUL, which separates words in every rule.
  const text = Object.values(values).join('\0');
  if (redact(text) === text) return values;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, redact(value)]));
}

/** A value with an authentication scheme is a secret under any name. */
const CREDENTIALS = /^(?:bearer|basic) +\S{8,}$/i;

/** Values that are never secrets: replacing them would make every text unreadable. */
const COMMON_VALUE = /^(\d{1,8}|true|false|null|none|undefined)$/i;

/** Shorter values occur in innocent text. */
const MIN_SECRET_LENGTH = 4;

/** The minimum for values whose names do not mark them as secret, such as `debug` or a port. */
const MIN_UNNAMED_LENGTH = 6;

type NamedValues = Iterable<readonly [name: string, value: string | undefined]>;

const isSecretName = (name: string): boolean =>
  SECRET_NAMES.parameter.pattern.test(name) && !INNOCENT_PARAMETER.test(name);

export const isSecret = (value: string): boolean =>
  value.length >= MIN_SECRET_LENGTH && !COMMON_VALUE.test(value);

export const withoutScheme = (value: string): string => value.replace(/^\w+ +/, '');

/** Finds secrets among named values, each with and without its scheme (`Bearer`). */
export function findSecrets(values: NamedValues): string[] {
  const secrets: string[] = [];
  for (const [name, value = ''] of values) {
    const text = value.trim();
    if (!isSecretName(name) && !CREDENTIALS.test(text)) continue;
    for (const secret of [text, withoutScheme(text)]) if (isSecret(secret)) secrets.push(secret);
  }
  return secrets;
}

/** Returns true for a header that authenticates, by its name or its value. */
export const isSecretHeader = (name: string, value: string): boolean =>
  isSecretName(name) || CREDENTIALS.test(value);

/** Returns true if headers contain a key. */
export const hasKey = (headers: Readonly<Record<string, string>>): boolean =>
  Object.entries(headers).some(header => findSecrets([header]).length > 0);

/** Treats every value as a secret, regardless of its name: the environment and the headers of an MCP server. */
export const findPrivateValues = (values: NamedValues): string[] => {
  const list = [...values];
  const long = list
    .flatMap(([, value = '']) => [value, value.trim(), withoutScheme(value.trim())])
    .filter(value => value.length >= MIN_UNNAMED_LENGTH);
  return [...new Set([...long, ...findSecrets(list)])];
};

/** Finds secrets in command-line arguments: `--api-key x` and `--token=x`. Other arguments make an error useful. */
export const findSecretArguments = (args: readonly string[]): string[] =>
  args
    .flatMap((argument, index) => {
      const [option = '', value] = argument.split(/=(.+)/s);
      if (value !== undefined && isSecretOption(option)) return value;
      return isSecretOption(args[index - 1] ?? '') ? argument : [];
    })
    .filter(isSecret);

const isSecretOption = (argument: string): boolean => SECRET_NAMES.argument.pattern.test(argument);

/** Finds the secrets in the query of an address. */
export const findUrlSecrets = (address: string): string[] =>
  address.includes('?') && URL.canParse(address) ? findSecrets(new URL(address).searchParams) : [];

/** Removes the password, or a user without one, and the secrets in the query of an address. */
export function redactUrl(address: string): { url: string; secrets: string[] } {
  const secrets: string[] = [];
  const url = address
    .replace(/^(\w+:\/\/)([^/?#@:]*:)?([^/?#]*)(?=@)/, (_, scheme: string, user = '', secret: string) => {
      const found = [secret, decode(secret)];
      // A user without a password may be a token. A shorter one is a name, which occurs in ordinary text.
      secrets.push(...found.filter(one => user !== '' || one.length >= MIN_UNNAMED_LENGTH));
      return `${scheme}${user}${MARK}`;
    })
    .replace(/([?&])([^=&#?]*)=([^&#]*)/g, (pair, sign: string, name: string, value: string) => {
      const found = findSecrets([[decode(name), decode(value)]]);
      if (found.length === 0) return pair;
      secrets.push(value, ...found);
      return `${sign}${name}=${MARK}`;
    });
  return { url, secrets: secrets.filter(secret => secret.length >= MIN_SECRET_LENGTH) };
}

/** Removes the query of an address: it can carry keys (Google's `?key=`), and errors are logged. */
export function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

export const mapFields = (
  fields: PlainObject,
  toValue: (name: string, value: unknown) => unknown,
): PlainObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(name, value)]));

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null
  );
}

/** Decodes a part of a query. Returns text with an invalid encoding unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
