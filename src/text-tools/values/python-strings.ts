import { findSpaceEnd, type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';

type Write = (json: string) => void;

/** Returns true if the text after a closing quote continues as it must after the whole value. */
type PythonStringEnds = (offset: number) => Reading<boolean>;

/** The maximum white space between and after strings. */
const MAX_SPACE = 400;

/** The prefixes of strings. Bytes have no JSON, so `b` is missing. */
const STRING_START = /^[rRfFuU]{0,1}['"]/;

/** Returns true if a string starts after `offset` characters. */
export function* startsString(cursor: TextCursor, offset: number): Reading<boolean> {
  const first = yield* cursor.peek(offset);
  if (first === undefined) return false;
  if (first === '"' || first === "'") return true;
  return /[rfu]/i.test(first) && STRING_START.test(first + ((yield* cursor.peek(offset + 1)) ?? ''));
}

interface PythonStrings {
  /** Reads adjacent strings, which Python joins, and writes them as one JSON string. */
  read(write: Write, ends: PythonStringEnds): Reading<boolean>;
  readonly isGuess: boolean;
}

/** Creates a reader of the strings of one call. */
export function createPythonStrings(cursor: TextCursor): PythonStrings {
  /** The quotation mark of the string whose end is a guess. */
  let guessed: string | undefined;

  function* read(write: Write, ends: PythonStringEnds): Reading<boolean> {
    write('"');
    do {
      yield* cursor.takeSpace();
      if (!(yield* readString(write, ends))) return false;
    } while (yield* startsString(cursor, yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE })));
    write('"');
    return true;
  }

  function* readString(write: Write, ends: PythonStringEnds): Reading<boolean> {
    const prefix = /[rfu]/i.test((yield* cursor.peek()) ?? '') ? cursor.take(1).toLowerCase() : '';
    const quote = (yield* cursor.peek()) ?? '';
    if (guessed === quote) return false;
    const closer = (yield* cursor.sees(quote.repeat(3))) ? quote.repeat(3) : quote;
    cursor.take(closer.length);
    const stop = toStopExpression(prefix === 'f' ? [quote, '\\', '{', '}'] : [quote, '\\']);
    const writeText = (text: string) => write(JSON.stringify(text).slice(1, -1));
    for (;;) {
      const next = yield* cursor.passUntil(stop, writeText);
      if (next === undefined) return false;
      if (next === '\\') {
        const escaped = yield* readEscape(cursor, prefix === 'r');
        if (escaped === undefined) return false;
        writeText(escaped);
      } else if (next === '{' || next === '}') {
        // A single brace of an f-string starts an expression.
        if (prefix !== 'f' || (yield* cursor.peek(1)) !== next) {
          if (prefix === 'f') return false;
          writeText(cursor.take(1));
        } else {
          cursor.take(2);
          writeText(next);
        }
      } else if (next === quote && (yield* cursor.sees(closer))) {
        const end = closer.length === 3 ? 'end' : yield* judgeQuote(cursor, ends);
        if (end === 'invalid') return false;
        cursor.take(closer.length);
        if (end === 'end') return true;
        guessed = quote;
        writeText(quote);
      } else if (/['"]/.test(next)) {
        writeText(cursor.take(1));
      }
    }
  }

  return {
    read,
    get isGuess() {
      return guessed !== undefined;
    },
  };
}

/** Returns whether a quotation mark ends its string, belongs to it, or is followed by an expression. */
function* judgeQuote(cursor: TextCursor, ends: PythonStringEnds): Reading<'end' | 'text' | 'invalid'> {
  const offset = yield* findSpaceEnd(cursor, { start: 1, most: MAX_SPACE });
  const next = yield* cursor.peek(offset);
  if (next === undefined || (yield* startsString(cursor, offset)) || (yield* ends(offset))) return 'end';
  // 'a' + 'b', 'a'.upper(), 'a' % b, 'a'[0]
  if (/[-+*/%.[&|<>=!]/.test(next)) return 'invalid';
  return offset > 1 && (yield* seesOperatorWord(cursor, offset)) ? 'invalid' : 'text';
}

function* seesOperatorWord(cursor: TextCursor, offset: number): Reading<boolean> {
  for (const word of ['if ', 'for ', 'in ', 'and ', 'or ', 'not ', 'is ']) {
    if (yield* cursor.sees(word, offset)) return true;
  }
  return false;
}

function* readEscape(cursor: TextCursor, isRaw: boolean): Reading<string | undefined> {
  const next = yield* cursor.peek(1);
  if (next === undefined) return undefined;
  if (isRaw) return cursor.take(2);
  const [digits, most] = codeEscapes[next] ?? (/[0-7]/.test(next) ? [/[0-7]/, 3] : [/(?!)/, 0]);
  if (most === 0) {
    cursor.take(2);
    return escapes[next] ?? `\\${next}`;
  }
  const start = next in codeEscapes ? 2 : 1;
  const length = start + (yield* cursor.look(digits, { start, most })).length;
  const text = cursor.take(length);
  // An incomplete escape is text, as in a path.
  if (start === 2 && length < start + most) return text;
  const point = Number.parseInt(text.slice(start), start === 2 ? 16 : 8);
  return point > 0x10ffff ? undefined : toCharacter(point);
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\u0007',
  v: '\v',
  "'": "'",
  '"': '"',
  '\\': '\\',
  '\n': '',
};

/** The digits of escapes by code, and their number. */
const codeEscapes: Readonly<Record<string, readonly [RegExp, number]>> = {
  x: [/[\da-f]/i, 2],
  u: [/[\da-f]/i, 4],
  U: [/[\da-f]/i, 8],
};

/** Python writes characters outside of the basic plane also as two surrogates. */
const toCharacter = (point: number): string =>
  point < 0x10000 ? String.fromCharCode(point) : String.fromCodePoint(point);
