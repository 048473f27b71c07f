import { findSpaceEnd, type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';
import { isJsonNumber } from './json-scanner.js';
import { readItems, readMembers, type Write } from './literal-containers.js';
import type { ValueType } from './schema-types.js';

/** Reads Python literals and writes them as JSON. */
export interface PythonReader {
  /**
   * Takes one literal. Strings are written as they arrive, other values when they are complete.
   *
   * @param types The types that the schema allows for the value, or none if it says nothing.
   * @param ends Returns true if the text after a closing quote continues as it must after the whole value.
   * @returns false for incomplete text, and for text that is no literal.
   */
  value(
    write: Write,
    types: readonly ValueType[],
    ends: (offset: number) => Reading<boolean>,
  ): Reading<boolean>;
  /**
   * True if a string contained its own quotation mark without a backslash, so that its end is a guess. A second string
   * with this quotation mark makes the guess ambiguous, and is refused.
   */
  readonly isGuess: boolean;
}

/** Deeper than any argument. */
const MAX_DEPTH = 256;
/** Longer than any number or word. */
const MAX_WORD = 400;

interface Context {
  readonly types: readonly ValueType[];
  readonly depth: number;
  ends(offset: number): Reading<boolean>;
}

export function createPythonReader(cursor: TextCursor): PythonReader {
  const strings = createPythonStrings(cursor);

  function* readValue(write: Write, context: Context): Reading<boolean> {
    if (context.depth > MAX_DEPTH) return false;
    const first = yield* cursor.peek();
    if (first === '[' || first === '(' || first === '{') return yield* readContainer(write, context);
    if (yield* startsString(cursor, 0)) return yield* strings.read(write, context.ends);
    const isPart = (character: string, offset: number) => offset < MAX_WORD && /[-+.\w]/.test(character);
    const word = cursor.take(yield* cursor.scan(isPart));
    const json = toScalar(word, context.types);
    if (json === undefined) return false;
    write(json);
    return true;
  }

  function* readContainer(write: Write, context: Context): Reading<boolean> {
    const bracket = cursor.take(1);
    if (bracket === '[') return yield* readItems(cursor, write, itemsOf(']', context));
    yield* cursor.takeSpace();
    const isEmpty = yield* cursor.takes(bracket === '(' ? ')' : '}');
    if (!isEmpty) return yield* (bracket === '(' ? readTuple : readBraces)(write, context);
    write(bracket === '(' ? '[]' : '{}');
    return true;
  }

  const itemsOf = (close: string, context: Context, isOpen = false) => ({
    close,
    isOpen,
    readItem: (write: Write) =>
      readValue(write, { types: [], depth: context.depth + 1, ends: itemEnds(cursor, close) }),
  });

  /** Reads a tuple as a list, or a value in parentheses. */
  function* readTuple(write: Write, context: Context): Reading<boolean> {
    let first = '';
    const inner = { ...context, depth: context.depth + 1, ends: itemEnds(cursor, ')') };
    if (!(yield* readValue(json => void (first += json), inner))) return false;
    yield* cursor.takeSpace();
    if (yield* cursor.takes(')')) {
      write(first);
      return true;
    }
    if (!(yield* cursor.takes(','))) return false;
    write(`[${first}`);
    return yield* readItems(cursor, write, itemsOf(')', context, true));
  }

  /** Reads a dict as an object, or a set as a list. */
  function* readBraces(write: Write, context: Context): Reading<boolean> {
    const key = yield* readKey(context);
    if (key === undefined) return false;
    if (yield* cursor.takes(':')) {
      const inner = { types: [], depth: context.depth + 1, ends: itemEnds(cursor, '}') };
      return yield* readMembers(cursor, write, {
        close: '}',
        first: toName(key),
        mayRepeat: true,
        isForbidden: name => name === '__proto__',
        *readKey() {
          const json = yield* readKey(context);
          return json !== undefined && (yield* cursor.takes(':')) ? toName(json) : undefined;
        },
        readValue: one => readValue(one, inner),
      });
    }
    write(`[${key}`);
    const isList = (yield* cursor.takes(',')) || (yield* cursor.peek()) === '}';
    return isList && (yield* readItems(cursor, write, itemsOf('}', context, true)));
  }

  /** Reads a key, or the first item of a set, as JSON. */
  function* readKey(context: Context): Reading<string | undefined> {
    // Lists, dicts and tuples cannot be keys.
    if (/[[{(]/.test((yield* cursor.peek()) ?? '')) return undefined;
    let key = '';
    const endsItem = itemEnds(cursor, '}');
    const isRead = yield* readValue(json => void (key += json), {
      types: [],
      depth: context.depth + 1,
      *ends(offset) {
        return (yield* cursor.peek(offset)) === ':' || (yield* endsItem(offset));
      },
    });
    yield* cursor.takeSpace();
    return isRead ? key : undefined;
  }

  return {
    value: (write, types, ends) => readValue(write, { types, depth: 0, ends }),
    get isGuess() {
      return strings.isGuess;
    },
  };
}

/** Returns the name of a member, which may be a number or a constant in Python. */
const toName = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json);

/** Returns a test for the text after an item of a container. */
const itemEnds = (cursor: TextCursor, closer: string) =>
  function* (offset: number): Reading<boolean> {
    const next = yield* cursor.peek(offset);
    const after = yield* findSpaceEnd(cursor, { start: offset + 1, most: MAX_WORD });
    const following = yield* cursor.peek(after);
    if (next === closer) return following === undefined || /[,\]})]/.test(following);
    return next === ',' && (following === undefined || /[-+.\w'"[{(\]})]/.test(following));
  };

const words: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
};

/** Returns the JSON of a word or number. A parameter that accepts only strings keeps what the model wrote. */
function toScalar(word: string, types: readonly ValueType[]): string | undefined {
  const json = Object.hasOwn(words, word) ? words[word] : toNumber(word, types);
  const isText = types.length > 0 && types.every(type => type === 'text' || type === 'null');
  return isText && json !== undefined && json !== 'null' ? JSON.stringify(word) : json;
}

/** Numbers keep their digits, because parsing loses those beyond 2^53. */
function toNumber(word: string, types: readonly ValueType[]): string | undefined {
  const bare = word.replace(/^\+/, '').replace(/(?<=[\da-f])_(?=[\da-f])/gi, '');
  if (isJsonNumber(bare)) return Number.isFinite(Number(bare)) ? bare : undefined;
  // Python rejects leading zeros. They are padding in dates, and part of codes.
  const padded = /^(-?)0+(0|[1-9]\d*)$/.exec(bare);
  if (padded !== null) {
    const isNumber = types.includes('integer') || types.includes('number');
    return isNumber ? `${padded[1]}${padded[2]}` : JSON.stringify(word);
  }
  const based = /^(-?)(0[xob][\da-f]+)$/i.exec(bare);
  if (based !== null) {
    const value = Number(based[2]);
    return Number.isNaN(value) ? undefined : `${based[1]}${BigInt(based[2] ?? '')}`;
  }
  return /^-?(?:\d+\.\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(bare) && Number.isFinite(Number(bare))
    ? String(Number(bare))
    : undefined;
}

/** Returns true if the text after a closing quote continues as it must after the whole value. */
type PythonStringEnds = (offset: number) => Reading<boolean>;

/** The maximum white space between and after strings. */
const MAX_SPACE = 400;

/** The prefixes of strings. Bytes have no JSON, so `b` is missing. */
const STRING_START = /^[rRfFuU]{0,1}['"]/;

/** Returns true if a string starts after `offset` characters. */
function* startsString(cursor: TextCursor, offset: number): Reading<boolean> {
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
function createPythonStrings(cursor: TextCursor): PythonStrings {
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
