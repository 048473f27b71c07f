import type { JsonObject } from './json-object.js';

/** The values that a message offers, each handed out once. */
export interface ValuePool {
  /** The text all values come from. */
  readonly text: string;
  /** The next number, or `undefined` when none is left. */
  takeNumber(): number | undefined;
  /** All numbers that are left. */
  takeNumbers(): number[];
  /** All quoted strings that are left. */
  takeQuoted(): string[];
  /** The string that fits the property best, or `undefined` when nothing in the text stands out. */
  takeString(property: string, schema: JsonObject): string | undefined;
}

export function createValuePool(text: string): ValuePool {
  const quoted = matchAll(text, quotes);
  const unquoted = text.replace(quotes, ' ');
  const numbers = matchAll(unquoted, /(?<![\w.])-?\d+(?:\.\d+)?(?!\w*[/\\])/g).map(Number);
  const names = matchAll(unquoted, nouns);

  function takeKind(property: string, schema: JsonObject): string | undefined {
    const kind = kinds.find(({ appliesTo }) => appliesTo.test(`${property} ${String(schema.format ?? '')}`));
    const found = kind === undefined ? undefined : kind.pattern.exec(text)?.[0];
    const index = found === undefined ? -1 : quoted.indexOf(found);
    if (index >= 0) quoted.splice(index, 1);
    return found;
  }

  return {
    text,
    takeNumber: () => numbers.shift(),
    takeNumbers: () => numbers.splice(0),
    takeQuoted: () => quoted.splice(0),
    takeString: (property, schema) => takeKind(property, schema) ?? quoted.shift() ?? names.shift(),
  };
}

// An apostrophe opens a quotation only where a word begins, so "what's" opens none.
const quotes = /"([^"]+)"|“([^”]+)”|`([^`]+)`|(?<![\w])'([^']+)'(?!\w)/g;

/** Names after a preposition: "in New York", "for Ada". */
const nouns = /\b(?:in|for|of|to|at|about|from|named|called)\s+(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)/gu;

/** Strings that are known by the name or the format of the property that wants them. */
const kinds: readonly { readonly appliesTo: RegExp; readonly pattern: RegExp }[] = [
  { appliesTo: /ur[il]\b|link/i, pattern: /https?:\/\/[^\s"'`,)]*[^\s"'`,).?!]/ },
  { appliesTo: /e-?mail/i, pattern: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/ },
  { appliesTo: /date/i, pattern: /\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?/ },
  {
    appliesTo: /path|file|dir|folder/i,
    pattern: /(?:\.{0,2}\/[\w.@-][\w./@-]*[\w/]|[\w@-][\w./@-]*\.\w{1,5}\b)/,
  },
  { appliesTo: /expression|formula/i, pattern: /[-(]?\d[\d\s+*/().^-]*[\d)]/ },
];

const matchAll = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(match => match.slice(1).find(group => group !== undefined) ?? match[0]);
