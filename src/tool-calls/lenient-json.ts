import { findQuotedEnd, isQuote, KEY, skipBlank, toJsonString } from './lenient-string.js';

/** Malformed JSON, written as valid JSON. */
export interface MendedJson {
  /** Valid parts are unchanged, including their white space. */
  readonly json: string;
  /** The position after the value. */
  readonly end: number;
  /** True if closing brackets were missing at the end of the text. */
  readonly isCompleted: boolean;
}

/** The reason why JSON cannot be mended: its end is missing, or it has no clear meaning. */
export type JsonFault = 'truncated' | 'malformed';

export interface MendOptions {
  /** @default 0 */
  readonly start?: number;
  /** The text is known to be complete, because a closing marker followed it. @default false */
  readonly isClosed?: boolean;
}

/** Deeper than any argument. */
const MAX_DEPTH = 256;

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };

class MendError extends Error {
  constructor(readonly fault: JsonFault) {
    super(fault);
  }
}

/**
 * Reads one JSON value with the usual mistakes of models: single, triple and typographic quotes, unescaped quotes and
 * control characters in strings, lone backslashes, Python literals, keys without quotes, comments, missing or trailing
 * commas, and missing closing brackets.
 *
 * A value of which a part may be missing is never completed: half a string, a number at the very end, a key without a
 * value, or anything after a comma.
 */
export function mendJson(text: string, options: MendOptions = {}): MendedJson | JsonFault {
  try {
    return createReader(text, options).read();
  } catch (error) {
    if (error instanceof MendError) return error.fault;
    throw error;
  }
}

function createReader(text: string, { start = 0, isClosed = false }: MendOptions) {
  let at = start;
  let json = '';
  let isCompleted = false;
  /** True if the last value is a number or word that may continue after the end of the text. */
  let mayContinue = false;
  /** True if quotes within a string were not escaped: where a truncated text ends is then unknown. */
  let hasInnerQuotes = false;
  /** The closing brackets of the open containers. */
  const open: string[] = [];

  function fail(fault: JsonFault): never {
    throw new MendError(fault);
  }

  const failHere = (): never => fail(at >= text.length ? 'truncated' : 'malformed');

  /** Skips white space and comments. Returns the white space. */
  function takeBlank(): string {
    const from = at;
    const end = skipBlank(text, at);
    if (end === undefined) return fail('truncated');
    at = end;
    const blank = text.slice(from, at);
    return /^[ \t\n\r]*$/.test(blank) ? blank : ' ';
  }

  function readValue(): void {
    const character = text.charAt(at);
    mayContinue = false;
    if (character in CLOSERS) readContainer(character);
    else if (isQuote(character)) readString();
    else readWord();
  }

  function readContainer(bracket: string): void {
    if (open.length >= MAX_DEPTH) fail('malformed');
    const isObject = bracket === '{';
    const closer = CLOSERS[bracket] ?? '';
    open.push(closer);
    at++;
    json += isObject ? '{' : '[';
    for (let isFirst = true; ; isFirst = false) {
      const valueEnd = at;
      const before = takeBlank();
      const [commas, after] = takeCommas();
      // A missing element of a list is data that was lost.
      if (!isObject && (commas > 1 || (commas > 0 && isFirst))) fail('malformed');
      if (at >= text.length) {
        const isOpenEnd = mayContinue && at === valueEnd && !isClosed;
        if (isFirst || commas > 0 || isOpenEnd || (hasInnerQuotes && !isClosed)) fail('truncated');
        isCompleted = true;
        break;
      }
      // A container that lacks its bracket may lack more, unless it ends with a value.
      if ((isFirst || commas > 0) && text.charAt(at) !== closer && '}])'.includes(text.charAt(at)))
        fail('malformed');
      if (endsContainer(closer)) {
        json += before + after;
        break;
      }
      if (isFirst) json += before + after;
      else if (commas > 0) json += `${before},${after}`;
      else if (before === '') failHere();
      else json += `,${before}`;
      if (isObject) readKey();
      readValue();
    }
    open.pop();
    json += isObject ? '}' : ']';
    mayContinue = false;
  }

  function takeCommas(): [count: number, blank: string] {
    let count = 0;
    let blank = '';
    for (; text[at] === ','; count++) {
      at++;
      blank += takeBlank();
    }
    return [count, blank];
  }

  /** Takes a closing bracket. One of an outer container also closes this container. */
  function endsContainer(closer: string): boolean {
    const character = text.charAt(at);
    if (character === closer) {
      at++;
      return true;
    }
    return '}])'.includes(character) && open.includes(character);
  }

  function readKey(): void {
    if (isQuote(text.charAt(at))) {
      readString({ isKey: true });
    } else {
      KEY.lastIndex = at;
      const [key] = KEY.exec(text) ?? [''];
      if (key === '') failHere();
      at += key.length;
      json += JSON.stringify(key);
    }
    json += takeBlank();
    if (text[at] !== ':') failHere();
    at++;
    json += `:${takeBlank()}`;
    // A key without a value is what remains of a truncated and completed object.
    if (at >= text.length || ',}])'.includes(text.charAt(at))) fail('truncated');
  }

  function readString({ isKey = false } = {}): void {
    const isInObject = open.at(-1) === '}';
    const found = findQuotedEnd(text, at, { isKey, isInObject, depth: open.length });
    if (found === undefined) return fail('truncated');
    if (found === 'unclear') return fail('malformed');
    json += toJsonString(text.slice(found.start, found.end));
    if (found.hasInnerQuotes) hasInnerQuotes = true;
    at = found.next;
  }

  function readWord(): void {
    WORD.lastIndex = at;
    const [word] = WORD.exec(text) ?? [''];
    const isLast = (skipBlank(text, at + word.length) ?? text.length) >= text.length;
    const constant = constants.get(word);
    const number = constant === undefined ? toNumber(word, { isLast }) : undefined;
    const scalar = constant ?? number;
    if (scalar === undefined || !isScalarEnd(at + word.length)) return readBareString();
    at += word.length;
    json += scalar;
    mayContinue = number !== undefined;
  }

  /** Returns true if a bracket, a comma, white space, a comment or the end follows. */
  function isScalarEnd(end: number): boolean {
    const next = skipBlank(text, end) ?? text.length;
    return next > end || next >= text.length || ',}])<;'.includes(text.charAt(next));
  }

  /** Reads a string without quotes, up to a comma, a bracket or the end of the line. */
  function readBareString(): void {
    if (open.length === 0) return failHere();
    BARE.lastIndex = at;
    const [bare] = BARE.exec(text) ?? [''];
    at += bare.length;
    const end = skipBlank(text, at);
    if (end === undefined || end >= text.length) return fail('truncated');
    if (!/^[\p{L}\p{N}_$/~.@-]/u.test(bare) || /^\.{3}|^-?$/.test(bare)) return fail('malformed');
    if (!',}])'.includes(text.charAt(end))) return fail('malformed');
    if (isHalfConstant(bare)) return fail('truncated');
    json += JSON.stringify(bare);
  }

  return {
    read(): MendedJson {
      takeBlank();
      json = '';
      if (at >= text.length) fail('truncated');
      readValue();
      return { json, end: at, isCompleted };
    },
  };
}

const WORD = /[^\s,{}[\]()"'`:;<>]*/y;
const BARE = /[^,{}[\]()"`\n\r]*?(?=\s*(?:[,{}[\]()"`\n\r]|$)|\s+\/[/*])/y;

const constants: ReadonlyMap<string, string> = new Map([
  ...['true', 'True', 'TRUE'].map(word => [word, 'true'] as const),
  ...['false', 'False', 'FALSE'].map(word => [word, 'false'] as const),
  ...['null', 'None', 'NULL', 'undefined'].map(word => [word, 'null'] as const),
]);

/** Returns true for `tru` or `Non`, which servers close with a bracket when a response is truncated. */
const isHalfConstant = (word: string): boolean =>
  word.length >= 3 && [...constants.keys()].some(constant => constant !== word && constant.startsWith(word));

/** Returns a number in JSON syntax, with all its digits. */
function toNumber(word: string, { isLast }: { isLast: boolean }): string | undefined {
  const [, sign, integer = '', fraction = '', exponent = ''] =
    /^([-+]?)(0|[1-9]\d*)?(?:\.(\d*))?(e[-+]?\d+)?$/i.exec(word) ?? [];
  if (sign === undefined || integer + fraction === '') return undefined;
  // The digits after the point may be missing.
  if (word.endsWith('.') && isLast) return undefined;
  return `${sign === '-' ? '-' : ''}${integer || '0'}${fraction && `.${fraction}`}${exponent}`;
}
