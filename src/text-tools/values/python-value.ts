import { findSpaceEnd, type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';
import { isJsonNumber } from './json-scanner.js';
import type { ValueType } from './schema-types.js';

/** Receives JSON as it becomes certain. */
type Write = (json: string) => void;

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

/** The prefixes of strings. Bytes have no JSON, so `b` is missing. */
const STRING_START = /^[rRfFuU]{0,1}['"]/;

export function createPythonReader(cursor: TextCursor): PythonReader {
  /** The quotation mark of the string whose end is a guess. */
  let guessed: string | undefined;

  interface Context {
    readonly types: readonly ValueType[];
    readonly depth: number;
    ends(offset: number): Reading<boolean>;
  }

  function* readValue(write: Write, context: Context): Reading<boolean> {
    if (context.depth > MAX_DEPTH) return false;
    const first = yield* cursor.peek();
    if (first === '[') return yield* readItems(write, { ...context, closer: ']' });
    if (first === '(') return yield* readTuple(write, context);
    if (first === '{') return yield* readBraces(write, context);
    if (yield* startsString(0)) return yield* readStrings(write, context);
    const word = yield* readWord();
    const json = toScalar(word, context.types);
    if (json === undefined) return false;
    write(json);
    return true;
  }

  function* readWord(): Reading<string> {
    const isPart = (character: string, offset: number) => offset < MAX_WORD && /[-+.\w]/.test(character);
    return cursor.take(yield* cursor.scan(isPart));
  }

  function* startsString(offset: number): Reading<boolean> {
    const first = yield* cursor.peek(offset);
    if (first === undefined) return false;
    if (first === '"' || first === "'") return true;
    return /[rfu]/i.test(first) && STRING_START.test(first + ((yield* cursor.peek(offset + 1)) ?? ''));
  }

  /** Reads adjacent strings, which Python joins. */
  function* readStrings(write: Write, context: Context): Reading<boolean> {
    write('"');
    do {
      yield* cursor.takeSpace();
      if (!(yield* readString(write, context))) return false;
    } while (yield* startsString(yield* findSpaceEnd(cursor, { start: 0, most: MAX_WORD })));
    write('"');
    return true;
  }

  function* readString(write: Write, { ends }: Context): Reading<boolean> {
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
        const escaped = yield* readEscape(prefix === 'r');
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
        const end = closer.length === 3 ? 'end' : yield* judgeQuote(ends);
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

  /** Returns whether a quotation mark ends its string, belongs to it, or is followed by an expression. */
  function* judgeQuote(ends: Context['ends']): Reading<'end' | 'text' | 'invalid'> {
    const offset = yield* findSpaceEnd(cursor, { start: 1, most: MAX_WORD });
    const next = yield* cursor.peek(offset);
    if (next === undefined || (yield* startsString(offset)) || (yield* ends(offset))) return 'end';
    // 'a' + 'b', 'a'.upper(), 'a' % b, 'a'[0]
    if (/[-+*/%.[&|<>=!]/.test(next)) return 'invalid';
    return offset > 1 && (yield* seesOperatorWord(offset)) ? 'invalid' : 'text';
  }

  function* seesOperatorWord(offset: number): Reading<boolean> {
    for (const word of ['if ', 'for ', 'in ', 'and ', 'or ', 'not ', 'is ']) {
      if (yield* cursor.sees(word, offset)) return true;
    }
    return false;
  }

  function* readEscape(isRaw: boolean): Reading<string | undefined> {
    const next = yield* cursor.peek(1);
    if (next === undefined) return undefined;
    if (isRaw) return cursor.take(2);
    const [digits, most] = codeEscapes[next] ?? (/[0-7]/.test(next) ? [/[0-7]/, 3] : [/(?!)/, 0]);
    if (most === 0) {
      cursor.take(2);
      return escapes[next] ?? `\\${next}`;
    }
    const start = next in codeEscapes ? 2 : 1;
    let length = start;
    for (; length < start + most; length++) {
      const digit = yield* cursor.peek(length);
      if (digit === undefined || !digits.test(digit)) break;
    }
    const text = cursor.take(length);
    // An incomplete escape is text, as in a path.
    if (start === 2 && length < start + most) return text;
    const point = Number.parseInt(text.slice(start), start === 2 ? 16 : 8);
    return point > 0x10ffff ? undefined : toCharacter(point);
  }

  /** Reads the rest of a list or tuple after its bracket or its first item. */
  function* readItems(
    write: Write,
    { closer, isOpen = false, ...context }: Context & { closer: string; isOpen?: boolean },
  ): Reading<boolean> {
    let separator = isOpen ? ',' : '[';
    if (!isOpen) cursor.take(1);
    const inner = { types: [], depth: context.depth + 1, ends: itemEnds(closer) };
    for (;;) {
      yield* cursor.takeSpace();
      if (yield* cursor.takes(closer)) break;
      write(separator);
      if (!(yield* readValue(write, inner))) return false;
      separator = ',';
      yield* cursor.takeSpace();
      if (yield* cursor.takes(',')) continue;
      if (yield* cursor.takes(closer)) break;
      return false;
    }
    write(separator === '[' ? '[]' : ']');
    return true;
  }

  /** Reads a tuple as a list, or a value in parentheses. */
  function* readTuple(write: Write, context: Context): Reading<boolean> {
    cursor.take(1);
    yield* cursor.takeSpace();
    if (yield* cursor.takes(')')) {
      write('[]');
      return true;
    }
    let first = '';
    const buffer = (json: string) => void (first += json);
    const isRead = yield* readValue(buffer, { ...context, depth: context.depth + 1, ends: itemEnds(')') });
    if (!isRead) return false;
    yield* cursor.takeSpace();
    if (yield* cursor.takes(')')) {
      write(first);
      return true;
    }
    if (!(yield* cursor.takes(','))) return false;
    write(`[${first}`);
    return yield* readItems(write, { ...context, closer: ')', isOpen: true });
  }

  /** Reads a dict as an object, or a set as a list. */
  function* readBraces(write: Write, context: Context): Reading<boolean> {
    cursor.take(1);
    yield* cursor.takeSpace();
    if (yield* cursor.takes('}')) {
      write('{}');
      return true;
    }
    const key = yield* readKey(context);
    if (key === undefined) return false;
    if ((yield* cursor.peek()) === ':') return yield* readEntries(write, { ...context, key });
    write(`[${key}`);
    if (yield* cursor.takes('}')) {
      write(']');
      return true;
    }
    return (yield* cursor.takes(',')) && (yield* readItems(write, { ...context, closer: '}', isOpen: true }));
  }

  function* readKey({ depth }: Context): Reading<string | undefined> {
    // Lists, dicts and tuples cannot be keys.
    if (/[[{(]/.test((yield* cursor.peek()) ?? '')) return undefined;
    let key = '';
    const buffer = (json: string) => void (key += json);
    const isRead = yield* readValue(buffer, { types: [], depth: depth + 1, ends: keyEnds });
    yield* cursor.takeSpace();
    return isRead ? key : undefined;
  }

  function* readEntries(
    write: Write,
    { key: firstKey, ...context }: Context & { key: string },
  ): Reading<boolean> {
    const inner = { types: [], depth: context.depth + 1, ends: itemEnds('}') };
    let key: string | undefined = firstKey;
    for (let separator = '{'; ; separator = ',') {
      const name = key.startsWith('"') ? key : JSON.stringify(key);
      if (name === '"__proto__"' || !(yield* cursor.takes(':'))) return false;
      yield* cursor.takeSpace();
      write(`${separator}${name}:`);
      if (!(yield* readValue(write, inner))) return false;
      yield* cursor.takeSpace();
      const hasComma = yield* cursor.takes(',');
      yield* cursor.takeSpace();
      if (yield* cursor.takes('}')) break;
      key = hasComma ? yield* readKey(context) : undefined;
      if (key === undefined) return false;
    }
    write('}');
    return true;
  }

  /** Returns a test for the text after an item of a container. */
  const itemEnds = (closer: string) =>
    function* (offset: number): Reading<boolean> {
      const next = yield* cursor.peek(offset);
      const after = yield* findSpaceEnd(cursor, { start: offset + 1, most: MAX_WORD });
      const following = yield* cursor.peek(after);
      if (next === closer) return following === undefined || /[,\]})]/.test(following);
      return next === ',' && (following === undefined || /[-+.\w'"[{(\]})]/.test(following));
    };

  function* keyEnds(offset: number): Reading<boolean> {
    return (yield* cursor.peek(offset)) === ':' || (yield* itemEnds('}')(offset));
  }

  return {
    value: (write, types, ends) => readValue(write, { types, depth: 0, ends }),
    get isGuess() {
      return guessed !== undefined;
    },
  };
}

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
  const padded = /^(-?)0+(\d+)$/.exec(bare);
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
