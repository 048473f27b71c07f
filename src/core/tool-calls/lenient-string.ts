/** The quotes that end a string, by its opening quote. */
const CLOSING_QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '"“”',
  '”': '"“”',
  '‘': "'‘’`´",
  '’': "'‘’`´",
  '`': "'‘’`´",
  '´': "'‘’`´",
};

export const isQuote = (character: string): boolean => character in CLOSING_QUOTES;

/** A key without quotes. */
export const KEY = /[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*/uy;
/** A key and its colon, of which the end of the text may cut off a part. */
const KEY_AND_COLON =
  /(?:"(?:[^"\\\n]|\\.)*(?:"|$)|'(?:[^'\\\n]|\\.)*(?:'|$)|[“”‘’`´][^\n:]{0,200}|[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*)\s*(?::|$)/uy;
const VALUE_START = /["'`“”‘’{[(\d-]|(?:[tTfFnN][a-z]*)(?=\s*(?:[,\]}]|$))/y;

const matchesAt = (expression: RegExp, text: string, at: number): boolean => {
  expression.lastIndex = at;
  return expression.test(text);
};

const SPACE = /[\s\ufeff]*/y;

/**
 * A text, and where its white space and comments end. Which quote ends a string depends on what follows each of them, so
 * that the same comments are asked for many times. Each is searched once.
 */
export class LenientText {
  /** The end of the white space and comments at the start of a comment. Undefined if one does not end. */
  readonly #ends = new Map<number, number | undefined>();
  readonly #lineEnd = new NextOccurrence('\n');
  readonly #commentEnd = new NextOccurrence('*/');

  constructor(readonly text: string) {}

  /** Returns the position after white space and comments, or undefined if a comment does not end. */
  skipBlank(start: number): number | undefined {
    const passed: number[] = [];
    let end: number | undefined = start;
    while (end !== undefined) {
      SPACE.lastIndex = end;
      SPACE.test(this.text);
      end = SPACE.lastIndex;
      const first = this.text[end];
      if (first !== '/' && first !== '#') break;
      if (this.#ends.has(end)) {
        end = this.#ends.get(end);
        break;
      }
      const after = this.#afterComment(end);
      if (after === end) break;
      passed.push(end);
      end = after;
    }
    for (const at of passed) this.#ends.set(at, end);
    return end;
  }

  /** Returns the position after the comment at a position, which is the same one if there is none. */
  #afterComment(at: number): number | undefined {
    const { text } = this;
    if (text[at] === '#' || text[at + 1] === '/') return this.#lineEnd.in(text, at) ?? text.length;
    if (text[at + 1] !== '*') return at;
    const end = this.#commentEnd.in(text, at + 2);
    return end === undefined ? undefined : end + 2;
  }
}

/** Finds a word in a text, without searching a part again in which it is known to be missing. */
class NextOccurrence {
  #from = 0;
  #found: number | undefined = -1;

  constructor(readonly word: string) {}

  in(text: string, from: number): number | undefined {
    const isKnown = from >= this.#from && (this.#found === undefined || from <= this.#found);
    if (isKnown) return this.#found;
    const found = text.indexOf(this.word, from);
    this.#from = from;
    this.#found = found < 0 ? undefined : found;
    return this.#found;
  }
}

/** The position of a string. */
interface StringContext {
  readonly isKey: boolean;
  readonly isInObject: boolean;
  /** The number of open containers. */
  readonly depth: number;
}

/** The contents of a string between `start` and `end`. */
interface Quoted {
  readonly start: number;
  readonly end: number;
  /** The position after the closing quote. */
  readonly next: number;
  /** True if quotes within the string are not escaped. */
  readonly hasInnerQuotes?: boolean;
}

/**
 * Finds the end of the string whose quote is at `at`. A quote ends a string only before text that may follow the string;
 * any other quote is part of it, because models forget to escape quotes.
 *
 * @returns undefined if the string does not end, and `unclear` if several quotes could end it.
 */
export function findQuotedEnd(
  lenient: LenientText,
  at: number,
  context: StringContext,
): Quoted | 'unclear' | undefined {
  const { text } = lenient;
  const quote = text.charAt(at);
  const triple = quote.repeat(3);
  if (!context.isKey && `"'\``.includes(quote) && text.startsWith(triple, at)) {
    const end = text.indexOf(triple, at + 3);
    return end < 0 ? undefined : { start: at + 3, end, next: end + 3 };
  }
  const start = at + 1;
  const end = findClosingQuote(lenient, start, { ...context, quotes: CLOSING_QUOTES[quote] ?? quote });
  if (typeof end !== 'number') return end;
  const contents = text.slice(start, end);
  const hasInnerQuotes = /(?<!\\)["“”]/.test(contents) || (quote !== '"' && contents.includes("'"));
  return { start, end, next: end + 1, hasInnerQuotes };
}

function findClosingQuote(
  lenient: LenientText,
  start: number,
  { quotes, ...context }: StringContext & { quotes: string },
): number | 'unclear' | undefined {
  const { text } = lenient;
  const candidate = new RegExp(`\\\\[^]|[${quotes}]`, 'g');
  candidate.lastIndex = start;
  /** The number of quotes within the string. */
  let inner = 0;
  let unpaired: number | undefined;
  /** The quote after the last backslash of a path, which was meant to end the string. */
  let afterBackslash: number | undefined;
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    const { index } = match;
    if (match[0].length > 1) {
      const isQuoteEscape = quotes.includes(match[0].charAt(1));
      if (isQuoteEscape && afterBackslash === undefined && isPath(text.slice(start, start + 3))) {
        if (mayFollow(lenient, index + 2, { ...context, inner: 0 })) afterBackslash = index + 1;
      }
      continue;
    }
    // A colon follows keys only. It would be part of the string with the quotes around it.
    if (!context.isKey && context.depth > 0 && inner % 2 === 0 && isBeforeColon(lenient, index + 1))
      return 'unclear';
    if (mayFollow(lenient, index + 1, { ...context, inner })) {
      if (unpaired !== undefined) return 'unclear';
      if (inner % 2 === 0) return index;
      unpaired = index;
    }
    if (!isApostrophe(text, index)) inner++;
  }
  return unpaired ?? afterBackslash;
}

const isBeforeColon = (lenient: LenientText, at: number): boolean =>
  lenient.text[lenient.skipBlank(at) ?? -1] === ':';

const isApostrophe = (text: string, at: number): boolean =>
  /['’]/.test(text.charAt(at)) && /\p{L}/u.test(text.charAt(at - 1)) && /\p{L}/u.test(text.charAt(at + 1));

/** Returns true if a string may end before `at`. */
function mayFollow(lenient: LenientText, at: number, context: StringContext & { inner: number }): boolean {
  const { text } = lenient;
  const next = lenient.skipBlank(at);
  // At the end of a truncated text, quotes within a string cannot be distinguished from those of later strings.
  if (next === undefined || next >= text.length) return context.inner === 0;
  const character = text.charAt(next);
  if (context.isKey) return character === ':';
  if (context.depth === 0) return !isQuote(character);
  if (character === ',') return mayFollowComma(lenient, next + 1, context.isInObject);
  if ('}])'.includes(character)) return mayFollowBracket(lenient, next + 1, context.depth);
  // A comma is missing.
  if (context.inner % 2 > 0 || next === at) return false;
  if (context.isInObject) return matchesAt(KEY_AND_COLON, text, next);
  return text.slice(at, next).includes('\n') && matchesAt(VALUE_START, text, next);
}

function mayFollowComma(lenient: LenientText, at: number, isInObject: boolean): boolean {
  const { text } = lenient;
  const next = lenient.skipBlank(at) ?? text.length;
  if (next >= text.length || ',}])'.includes(text.charAt(next))) return true;
  return matchesAt(isInObject ? KEY_AND_COLON : VALUE_START, text, next);
}

function mayFollowBracket(lenient: LenientText, at: number, depth: number): boolean {
  const { text } = lenient;
  const next = lenient.skipBlank(at) ?? text.length;
  if (next >= text.length) return true;
  const character = text.charAt(next);
  return depth > 1 ? ',}])<;'.includes(character) : !isQuote(character) || character === '`';
}

/** A drive letter and a backslash. */
const isPath = (text: string): boolean => /^[a-z]:\\/i.test(text);

/** A backslash that starts no escape of JSON, Python or JavaScript. */
const LONE_BACKSLASH = /\\(?:["'`$\\/bfnrt\n\t]|u[\da-f]{4})|(\\)/gi;

/** A path that starts with a drive letter, up to white space. */
const PATH = /(?<![\p{L}\p{N}])[a-z]:\\[^\s"'`<>|*?]*/giu;

function hasLoneBackslash(text: string): boolean {
  if (!text.includes('\\')) return false;
  for (const [, lone] of text.matchAll(LONE_BACKSLASH)) if (lone !== undefined) return true;
  return false;
}

/** The parts of a string in which `\n` and similar sequences are no escapes. */
function literalParts(contents: string): { start: number; end: number }[] {
  if (isPath(contents) || isServerPath(contents)) return [{ start: 0, end: contents.length }];
  return [...contents.matchAll(PATH)]
    .filter(([path]) => hasLoneBackslash(path))
    .map(({ 0: path, index }) => ({ start: index, end: index + path.length }));
}

/** Two backslashes and the name of a server. */
const isServerPath = (text: string): boolean => /^\\\\[^\\]/.test(text);

/**
 * Writes the contents of a string as JSON. Backslashes that the model forgot to escape are kept. In a path with such a
 * backslash there are no escapes: `C:\dir\new` contains no line break. In other strings with one, only `\b` and `\f` lose
 * their meaning, because they belong to regular expressions.
 */
export function toJsonString(contents: string): string {
  const hasLone = hasLoneBackslash(contents);
  const literal = hasLone ? literalParts(contents) : [];
  const isServer = hasLone && isServerPath(contents);
  let part = 0;
  /** Called with ascending positions. */
  const isInLiteral = (at: number): boolean => {
    while (part < literal.length && at >= (literal[part]?.end ?? 0)) part++;
    return at >= (literal[part]?.start ?? Infinity);
  };
  const escaped = contents.replace(SPECIAL, (found, at: number) => {
    if (found < ' ') return JSON.stringify(found).slice(1, -1);
    if (found.length === 1) return found === '\\' ? '\\\\' : JSON.stringify(found).slice(1, -1);
    const character = found.charAt(1);
    // The escape and the character that it stands for.
    if (character === '\n' || character === '\t') return JSON.stringify(character).slice(1, -1);
    if (character === '"' || character === '/') return found;
    if (character === '\\') return isServer && at === 0 ? '\\\\\\\\' : found;
    if (character === "'" || character === '`') return character;
    if (character === '$') return hasLone ? '\\\\$' : '$';
    const isLiteral = (hasLone && (character === 'b' || character === 'f')) || isInLiteral(at);
    return isLiteral ? `\\${found}` : found;
  });
  return `"${escaped}"`;
}

// eslint-disable-next-line no-control-regex -- control characters are what JSON does not allow
const SPECIAL = /\\(?:["'`$\\/bfnrt\n\t]|u[\da-fA-F]{4})|[\\"]|[\u0000-\u001f]+/g;
