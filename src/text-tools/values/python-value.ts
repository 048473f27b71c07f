import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';
import { isJsonNumber } from './json-scanner.js';
import { readItems, readMembers, type Write } from './literal-containers.js';
import { createPythonStrings, startsString } from './python-strings.js';
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

  const itemsOf = (close: string, { depth }: Context, isOpen = false) => ({
    close,
    isOpen,
    readItem: (write: Write) =>
      readValue(write, { types: [], depth: depth + 1, ends: itemEnds(cursor, close) }),
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
  function* readKey({ depth }: Context): Reading<string | undefined> {
    // Lists, dicts and tuples cannot be keys.
    if (/[[{(]/.test((yield* cursor.peek()) ?? '')) return undefined;
    let key = '';
    const endsItem = itemEnds(cursor, '}');
    const isRead = yield* readValue(json => void (key += json), {
      types: [],
      depth: depth + 1,
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
