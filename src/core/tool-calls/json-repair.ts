import { findQuotedEnd, isQuote, KEY, LenientText, toJsonString } from './lenient-string.js';

/** A value with the JSON that it was parsed from. */
export interface JsonReading {
  readonly value: unknown;
  readonly json: string;
  /** True if closing brackets were missing at the end of the text. */
  readonly isCompleted?: boolean;
}

/** Parses valid JSON. */
export function readJson(text: string): JsonReading | undefined {
  try {
    return { value: JSON.parse(text), json: text };
  } catch {
    return undefined;
  }
}

/**
 * Parses malformed JSON as `mendJson` does, and ignores what servers and models put around it: code fences with prose,
 * markers, prose after it, an empty object before it, and copies of it.
 *
 * @param options `isValue` treats prose and markers after the JSON as a fault, because the text is a value that may only
 *   begin like JSON, such as `[0-9]*.log`.
 * @returns a fault for JSON that cannot be repaired, and for truncated JSON: half a path or half a number must not run.
 */
export function repairJson(text: string, { isValue = false } = {}): JsonReading | JsonFault {
  const strict = readWithControls(text);
  if (strict !== undefined) return strict;
  if (/^\s*[{[]\s*\\"/.test(text)) return readEscaped(text, isValue);
  return readDocument(text, isValue);
}

/** Parses JSON whose only fault are control characters in its strings, as models write the line breaks of code. */
function readWithControls(text: string): JsonReading | undefined {
  const json = escapeControls(text);
  return json === undefined ? undefined : readJson(json);
}

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
const LONGEST_ESCAPE = 6;
/** The escapes of the control characters. */
const ESCAPES = Array.from({ length: SPACE }, (_, control) =>
  new TextEncoder().encode(JSON.stringify(String.fromCharCode(control)).slice(1, -1)),
);

/**
 * Escapes the control characters in the strings of JSON. Returns undefined if there are none, if a string does not end, and
 * for a backslash in front of one, whose meaning JSON does not define.
 *
 * Works on bytes where a text has escapes, because replacing parts of it takes ten times as long where every line is short.
 */
function escapeControls(text: string): string | undefined {
  if (!CONTROL.test(text)) return undefined;
  if (!text.includes('\\')) {
    const parts = text.split('"');
    const json = parts
      .map((part, index) => (index % 2 === 0 ? part : JSON.stringify(part).slice(1, -1)))
      .join('"');
    return parts.length % 2 === 0 || json.length === text.length ? undefined : json;
  }
  // A part of a surrogate pair has no bytes.
  if (LONE_SURROGATE.test(text)) return undefined;
  const bytes = new TextEncoder().encode(text);
  const { length } = bytes;
  let controls = 0;
  for (let at = 0; at < length; at++) if ((bytes[at] as number) < SPACE) controls++;
  const escaped = new Uint8Array(length + (LONGEST_ESCAPE - 1) * controls);
  let end = 0;
  let isInString = false;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    if (byte < SPACE && isInString) {
      const escape = ESCAPES[byte] as Uint8Array;
      for (let index = 0; index < escape.length; index++) escaped[end++] = escape[index] as number;
      continue;
    }
    escaped[end++] = byte;
    if (byte === QUOTE) isInString = !isInString;
    else if (byte === BACKSLASH && isInString) {
      const next = bytes[++at] ?? 0;
      if (next < SPACE) return undefined;
      escaped[end++] = next;
    }
  }
  if (isInString || end === length) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(escaped.subarray(0, end));
}

// eslint-disable-next-line no-control-regex -- control characters are what JSON does not allow
const CONTROL = /[\u0000-\u001f]/;
const LONE_SURROGATE = /\p{Cs}/u;

/** Parses `{\"city\": \"Oslo\"}`: a JSON string without the surrounding quotes. */
function readEscaped(text: string, isValue: boolean): JsonReading | JsonFault {
  const escaped = text.trim().replace(/\p{Cc}/gu, control => JSON.stringify(control).slice(1, -1));
  const inner = readJson(`"${escaped}"`)?.value;
  if (typeof inner !== 'string') return 'truncated';
  return readJson(inner) ?? readDocument(inner, isValue);
}

/** A marker at the end of a text, such as `</tool_call>` or `<|call|>`. It proves that nothing is missing before it. */
const END_MARKER = /^<(?:\/[\w:.-]+|\|[^<>|\s]+\|)>$/;
/** Markers before the JSON. */
const START_MARKERS = /^(?:\s*<(?:[\w:.-]+|\|[^<>|\s]+\|)>)+/;
/** Prose without brackets, and the start of fenced code. */
const FENCE = /^[^{[]*?```[a-z\d]*\s*(?=[{["'])/i;

/** The maximum number of copies. */
const MAX_COPIES = 8;

/** Returns the text before the markers at its end, which are searched from there. */
function withoutEndMarkers(text: string): string {
  let rest = text;
  for (;;) {
    const trimmed = rest.trimEnd();
    const start = trimmed.endsWith('>') ? trimmed.lastIndexOf('<') : -1;
    if (start < 0 || !END_MARKER.test(trimmed.slice(start))) return rest === text ? text : trimmed;
    rest = trimmed.slice(0, start);
  }
}

function readDocument(text: string, isValue: boolean): JsonReading | JsonFault {
  const contents = isValue ? text : withoutEndMarkers(text);
  const isClosed = contents.length < text.length;
  const start = (FENCE.exec(contents) ?? START_MARKERS.exec(contents))?.[0].length ?? 0;
  const readings: MendedJson[] = [];
  const lenient = new LenientText(contents);
  let at = start;
  do {
    const mended = mendText(lenient, { start: at, isClosed });
    if (typeof mended === 'string') return mended;
    readings.push(mended);
    at = lenient.skipBlank(mended.end) ?? contents.length;
  } while (contents[at] === '{' && readings.length < MAX_COPIES);
  const rest = contents.slice(at);
  if (!EXCESS.test(rest) && (isValue || !isProse(rest))) return 'malformed';
  return onlyReading(readings);
}

/** Excess brackets and semicolons after the JSON. */
const EXCESS = /^[\s}\];]*$/;

/** Returns true for prose, also after the end of a fence. */
const isProse = (rest: string): boolean =>
  /^[\s}\];]*```[^{}[\]"]*$/.test(rest) || /^\s*[\p{L}.!*(-][^{}[\]":]*$/u.test(rest);

/** Some servers stream an empty object before the arguments, or send the arguments again at the end. */
function onlyReading(readings: readonly MendedJson[]): JsonReading | JsonFault {
  const parsed = readings.map(({ json, isCompleted }) => ({
    value: JSON.parse(json) as unknown,
    json,
    isCompleted,
  }));
  const filled = parsed.length > 1 ? parsed.filter(entry => !/^\{\s*\}$/.test(entry.json)) : parsed;
  const [first = parsed[0], ...others] = filled;
  // Two backticks are the start of a code fence.
  if (first === undefined || first.value === '') return 'malformed';
  if (parsed.length > 1 && parsed.at(-1)?.isCompleted) return 'truncated';
  const json = JSON.stringify(first.value);
  return others.every(other => JSON.stringify(other.value) === json) ? first : 'malformed';
}

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
export const mendJson = (text: string, options: MendOptions = {}): MendedJson | JsonFault =>
  mendText(new LenientText(text), options);

function mendText(lenient: LenientText, options: MendOptions): MendedJson | JsonFault {
  try {
    return readMalformed(lenient, options);
  } catch (error) {
    if (error instanceof MendError) return error.fault;
    throw error;
  }
}

/** A position in a text. */
class JsonCursor {
  readonly text: string;

  constructor(
    readonly lenient: LenientText,
    public at: number,
  ) {
    this.text = lenient.text;
  }

  /** The next character, or the empty string at the end. */
  get next(): string {
    return this.text.charAt(this.at);
  }

  /** True before a bracket that closes any container. */
  get isAtCloser(): boolean {
    return /[}\])]/.test(this.next);
  }

  fail(fault: JsonFault = this.next === '' ? 'truncated' : 'malformed'): never {
    throw new MendError(fault);
  }

  /** Skips white space and comments. Returns the white space. */
  takeBlank(): string {
    const end = this.lenient.skipBlank(this.at) ?? this.fail('truncated');
    const blank = this.text.slice(this.at, end);
    this.at = end;
    return /^[ \t\n\r]*$/.test(blank) ? blank : ' ';
  }

  /** Takes what a sticky expression matches here. */
  takeMatch(expression: RegExp): string {
    const found = this.peekMatch(expression);
    this.at += found.length;
    return found;
  }

  peekMatch(expression: RegExp): string {
    expression.lastIndex = this.at;
    const [found] = expression.exec(this.text) ?? [''];
    return found;
  }
}

function readMalformed(lenient: LenientText, options: MendOptions): MendedJson {
  const { text } = lenient;
  const cursor = new JsonCursor(lenient, options.start ?? 0);
  let json = '';
  let isCompleted = false;
  /** True if the last value is a number or word that may continue after the end of the text. */
  let mayContinue = false;
  /** True if quotes within a string were not escaped: where a truncated text ends is then unknown. */
  let hasInnerQuotes = false;
  /** The closing brackets of the open containers. */
  const open: string[] = [];

  function readValue(): void {
    const character = cursor.next;
    mayContinue = false;
    if (character in CLOSERS) readContainer(character);
    else if (isQuote(character)) readString();
    else readWord();
  }

  function readContainer(bracket: string): void {
    if (open.length >= MAX_DEPTH) cursor.fail('malformed');
    const isObject = bracket === '{';
    const closer = CLOSERS[bracket] ?? '';
    open.push(closer);
    cursor.at++;
    json += isObject ? '{' : '[';
    for (let isFirst = true; ; isFirst = false) {
      const valueEnd = cursor.at;
      const before = cursor.takeBlank();
      const [commas, after] = takeCommas();
      // A missing element of a list is data that was lost.
      if (!isObject && (commas > 1 || (commas > 0 && isFirst))) cursor.fail('malformed');
      if (cursor.next === '') {
        const isOpenEnd = mayContinue && cursor.at === valueEnd && !options.isClosed;
        if (
          isFirst ||
          commas > 0 ||
          isOpenEnd ||
          (!isObject && !options.isClosed) ||
          (hasInnerQuotes && !options.isClosed)
        )
          cursor.fail('truncated');
        isCompleted = true;
        break;
      }
      // A container that lacks its bracket may lack more, unless it ends with a value.
      if ((isFirst || commas > 0) && cursor.next !== closer && cursor.isAtCloser) cursor.fail('malformed');
      if (endsContainer(closer)) {
        json += before + after;
        break;
      }
      if (isFirst) json += before + after;
      else if (commas > 0) json += `${before},${after}`;
      else if (before === '') cursor.fail();
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
    for (; cursor.next === ','; count++) {
      cursor.at++;
      blank += cursor.takeBlank();
    }
    return [count, blank];
  }

  /** Takes a closing bracket. One of an outer container also closes this container. */
  function endsContainer(closer: string): boolean {
    if (cursor.next !== closer) return cursor.isAtCloser && open.includes(cursor.next);
    cursor.at++;
    return true;
  }

  function readKey(): void {
    if (isQuote(cursor.next)) readString({ isKey: true });
    else json += JSON.stringify(cursor.takeMatch(KEY) || cursor.fail());
    json += cursor.takeBlank();
    if (cursor.next !== ':') cursor.fail();
    cursor.at++;
    json += `:${cursor.takeBlank()}`;
    // A key without a value is what remains of a truncated and completed object.
    if (cursor.next === '' || cursor.next === ',' || cursor.isAtCloser) cursor.fail('truncated');
  }

  function readString({ isKey = false } = {}): void {
    const isInObject = open.at(-1) === '}';
    const found = findQuotedEnd(lenient, cursor.at, { isKey, isInObject, depth: open.length });
    if (found === undefined) return cursor.fail('truncated');
    if (found === 'unclear') return cursor.fail('malformed');
    json += toJsonString(text.slice(found.start, found.end));
    if (found.hasInnerQuotes) hasInnerQuotes = true;
    cursor.at = found.next;
  }

  function readWord(): void {
    const scalar = findScalar(lenient, cursor.at);
    if (scalar === undefined) return readBareString();
    cursor.at = scalar.end;
    json += scalar.json;
    mayContinue = scalar.isNumber;
  }

  function readBareString(): void {
    if (open.length === 0) return cursor.fail();
    const bare = toBare(cursor.peekMatch(BARE));
    cursor.at += bare.length;
    const fault = toBareFault(bare, lenient, cursor.at);
    if (fault !== undefined) return cursor.fail(fault);
    json += JSON.stringify(bare);
  }

  cursor.takeBlank();
  if (cursor.next === '') cursor.fail('truncated');
  readValue();
  return { json, end: cursor.at, isCompleted };
}

/** Returns the number or the constant at a position. Undefined if it is the beginning of a text. */
function findScalar(
  lenient: LenientText,
  at: number,
): { json: string; end: number; isNumber: boolean } | undefined {
  const { text } = lenient;
  WORD.lastIndex = at;
  const [word] = WORD.exec(text) ?? [''];
  const end = at + word.length;
  const next = lenient.skipBlank(end) ?? text.length;
  const constant = constants.get(word);
  const number = toNumber(word, { isLast: next >= text.length });
  // `+49` and `.5` are not numbers of JSON. The schema decides whether they are numbers or text.
  const json = constant ?? (number === undefined || number === word ? number : JSON.stringify(word));
  const isEnd = next > end || next >= text.length || ',}])<;'.includes(text.charAt(next));
  return json === undefined || !isEnd ? undefined : { json, end, isNumber: constant === undefined };
}

const WORD = /[^\s,{}[\]()"'`:;<>]*/y;
const BARE = /[^,{}[\]()"`\n\r]*/y;

/** Returns a string without quotes, without the white space and the comment after it. */
function toBare(rest: string): string {
  const comment = /\s\/[/*]/.exec(rest)?.index;
  return rest.slice(0, comment).trimEnd();
}

/** Returns why a string without quotes, which ends at a comma, a bracket or the end of its line, cannot be read. */
function toBareFault(bare: string, lenient: LenientText, end: number): JsonFault | undefined {
  const { text } = lenient;
  const next = lenient.skipBlank(end);
  if (next === undefined || next >= text.length) return 'truncated';
  if (!/^[\p{L}\p{N}_$/~.@-]/u.test(bare) || /^\.{3}|^-?$/.test(bare)) return 'malformed';
  if (!',}])'.includes(text.charAt(next))) return 'malformed';
  return isHalfConstant(bare) ? 'truncated' : undefined;
}

const constants: ReadonlyMap<string, string> = new Map([
  ...['true', 'True', 'TRUE'].map(word => [word, 'true'] as const),
  ...['false', 'False', 'FALSE'].map(word => [word, 'false'] as const),
  ...['null', 'None', 'NULL', 'undefined'].map(word => [word, 'null'] as const),
]);

/** Returns true for `tru` or `Non`, which servers close with a bracket when a response is truncated. */
const isHalfConstant = (word: string): boolean =>
  word.length >= 3 && [...constants.keys()].some(constant => constant !== word && constant.startsWith(word));

/** Returns a number of Python in JSON syntax, with all its digits. */
export function toNumber(word: string, { isLast = false } = {}): string | undefined {
  const [, sign, integer = '', fraction = '', exponent = ''] =
    /^([-+]?)(0|[1-9]\d*)?(?:\.(\d*))?(e[-+]?\d+)?$/i.exec(word) ?? [];
  if (sign === undefined || integer + fraction === '') return undefined;
  // The digits after the point may be missing.
  if (word.endsWith('.') && isLast) return undefined;
  return `${sign === '-' ? '-' : ''}${integer || '0'}${fraction && `.${fraction}`}${exponent}`;
}
