/**
 * A parsing step. It yields when it needs more text, and is resumed after more text or the end has arrived. Steps are
 * generators, or results that are known already.
 */
export interface Reading<Result> {
  /** Starts the step. Each `next()` without `done` asks for more text; the last one returns the result. */
  [Symbol.iterator](): Iterator<void, Result, void>;
}

/** A step that needs no more text. It is its own iterator and result, because most steps are such, and short. */
export class Known<Result> implements Reading<Result> {
  readonly done = true;
  constructor(readonly value: Result) {}
  next(): this {
    return this;
  }
  [Symbol.iterator](): this {
    return this;
  }
}

/**
 * A position in text that arrives in chunks. Looking ahead is bounded by the length of tags; all other text is taken as
 * soon as it arrives.
 */
export interface TextCursor {
  /** The last character that was taken, or a line feed at the start. */
  readonly previous: string;
  /** The number of characters that were visited, singly or in runs. Tests prove with it that parsing is linear. */
  readonly visited: number;
  /** The number of characters that were taken. */
  readonly taken: number;
  /** Adds text. */
  feed(text: string): void;
  /** Marks the end of the text. */
  end(): void;
  /** Returns the character at `offset`, or undefined if the text ends before it. */
  peek(offset?: number): Reading<string | undefined>;
  /**
   * Passes the characters from offset `start` on to `isPart` until it returns false. Takes nothing.
   *
   * @returns the offset of the character that is no part, or of the end of the text.
   */
  scan(isPart: (character: string, offset: number) => boolean, start?: number): Reading<number>;
  /** Returns true if `literal` comes next, or after `start` characters. Waits only while it is possible. */
  sees(literal: string, start?: number): Reading<boolean>;
  /** Takes `literal` if it comes next. */
  takes(literal: string): Reading<boolean>;
  /** Returns the longest of `literals` that comes next. Waits only while one of them is possible. */
  match(literals: readonly string[]): Reading<string | undefined>;
  /** Takes `length` characters that were peeked at before. */
  take(length: number): string;
  /** Takes the available text that a sticky expression matches at the position. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined;
  /** Takes the available text up to a character that the global expression `stop` matches. */
  takeUntil(stop: RegExp): string;
  /**
   * Takes all text up to a character that `stop` matches, and passes it on as it arrives. The reading is resumed only at
   * that character, which is returned, or at the end of the text.
   */
  passUntil(stop: RegExp, onText: (text: string) => void): Reading<string | undefined>;
  /** Calls `take` for each chunk until it returns true or the text has ended. The reading is resumed only then. */
  takeEach(take: () => boolean): Reading<void>;
  /** True while the text is taken in chunks, so that the reading must not be resumed. */
  readonly isTaking: boolean;
  /** Takes white space, up to `most` characters. */
  takeSpace(most?: number): Reading<string>;
  /** Returns the available text that was not taken. */
  rest(): string;
  /** Starts recording the text that is taken. */
  startRecording(): void;
  /** Stops recording. */
  stopRecording(): void;
  /** Returns the text recorded since the last call. */
  recorded(): string;
  /** Starts keeping the text that is taken, independently of the recording. */
  startKeeping(): void;
  /** Stops keeping text, and returns it. */
  kept(): string;
}

export function createTextCursor(): TextCursor {
  let buffer = '';
  let position = 0;
  let hasEnded = false;
  let visited = 0;
  let taken = 0;
  let previous = '\n';
  let isRecording = false;
  let record = '';
  let keeping: string | undefined;
  /** Takes the chunks that arrive, until it returns true. */
  let takeChunk: (() => boolean) | undefined;

  /** Waits until `isKnown` returns true after a chunk, or the text has ended. */
  function* wait(isKnown: () => boolean): Reading<void> {
    if (isKnown() || hasEnded) return;
    takeChunk = isKnown;
    do yield;
    while (takeChunk !== undefined);
  }

  function* peekLater(offset: number): Reading<string | undefined> {
    yield* wait(() => position + offset < buffer.length);
    return buffer[position + offset];
  }

  function* scanLater(scan: () => boolean, end: () => number): Reading<number> {
    yield* wait(scan);
    return end();
  }

  function* seesLater(literal: string, start: number): Reading<boolean> {
    let length = 0;
    // Each character is compared once.
    yield* wait(() => {
      while (length < literal.length && buffer[position + start + length] === literal[length]) length++;
      visited++;
      return length === literal.length || position + start + length < buffer.length;
    });
    return length === literal.length;
  }

  function* takesLater(literal: string): Reading<boolean> {
    const isNext = yield* seesLater(literal, 0);
    if (isNext) cursor.take(literal.length);
    return isNext;
  }

  function* matchLater(literals: readonly string[]): Reading<string | undefined> {
    let found: string | undefined;
    let possible = literals;
    let offset = 0;
    yield* wait(() => {
      for (; possible.length > 0 && position + offset < buffer.length; offset++) {
        visited++;
        const character = buffer[position + offset];
        possible = possible.filter(literal => literal[offset] === character);
        const match = possible.find(literal => literal.length === offset + 1);
        found = match ?? found;
        possible = possible.filter(literal => literal !== match);
      }
      return possible.length === 0;
    });
    return found;
  }

  function* takeSpaceLater(most: number): Reading<string> {
    let space = takeAvailableSpace(most);
    while (space.length < most && (yield* cursor.peek()) !== undefined) {
      const next = takeAvailableSpace(most - space.length);
      if (next === '') break;
      space += next;
    }
    return space;
  }

  function takeAvailableSpace(most: number): string {
    let end = position;
    while (end < buffer.length && end - position < most && isSpace(buffer.charCodeAt(end))) end++;
    visited++;
    return end === position ? '' : cursor.take(end - position);
  }

  function* passLater(take: () => boolean): Reading<string | undefined> {
    yield* wait(take);
    return buffer[position];
  }

  /** Returns true if the literal may continue the available text. */
  const mayFollow = (literal: string): boolean =>
    literal.startsWith(position === 0 ? buffer : buffer.slice(position));

  function takeArrived(): void {
    if (takeChunk !== undefined && (takeChunk() || hasEnded)) takeChunk = undefined;
  }

  const cursor: TextCursor = {
    get previous() {
      return previous;
    },
    get visited() {
      return visited;
    },
    get taken() {
      return taken;
    },

    feed(text) {
      buffer = position === buffer.length ? text : buffer.slice(position) + text;
      position = 0;
      takeArrived();
    },
    end() {
      hasEnded = true;
      takeArrived();
    },

    peek(offset = 0) {
      visited++;
      const isKnown = hasEnded || position + offset < buffer.length;
      return isKnown ? new Known(buffer[position + offset]) : peekLater(offset);
    },

    scan(isPart, start = 0) {
      let end = start;
      const scan = () => {
        for (; position + end < buffer.length; end++) {
          visited++;
          if (!isPart(buffer.charAt(position + end), end)) return true;
        }
        return false;
      };
      return scan() || hasEnded ? new Known(end) : scanLater(scan, () => end);
    },

    sees(literal, start = 0) {
      if (!hasEnded && position + start + literal.length > buffer.length) return seesLater(literal, start);
      visited++;
      return new Known(buffer.startsWith(literal, position + start));
    },
    takes(literal) {
      if (!hasEnded && position + literal.length > buffer.length) return takesLater(literal);
      visited++;
      const isNext = buffer.startsWith(literal, position);
      if (isNext) cursor.take(literal.length);
      return new Known(isNext);
    },

    match(literals) {
      let found: string | undefined;
      for (const literal of literals) {
        // The missing text may complete this literal.
        if (!hasEnded && position + literal.length > buffer.length && mayFollow(literal)) {
          return matchLater(literals);
        }
        const isLonger = found === undefined || literal.length > found.length;
        if (isLonger && buffer.startsWith(literal, position)) found = literal;
      }
      visited += found?.length ?? 1;
      return new Known(found);
    },

    take(length) {
      const text = buffer.slice(position, position + length);
      position += text.length;
      visited += text.length;
      taken += text.length;
      if (isRecording) record += text;
      if (keeping !== undefined) keeping += text;
      if (text !== '') previous = text.charAt(text.length - 1);
      return text;
    },
    takeMatch(expression) {
      expression.lastIndex = position;
      const found = expression.exec(buffer);
      if (found === null) return undefined;
      cursor.take(found[0].length);
      return found;
    },
    takeUntil(stop) {
      stop.lastIndex = position;
      const end = stop.test(buffer) ? stop.lastIndex - 1 : buffer.length;
      return cursor.take(end - position);
    },
    passUntil(stop, onText) {
      const take = () => {
        const text = cursor.takeUntil(stop);
        if (text !== '') onText(text);
        return position < buffer.length;
      };
      return take() || hasEnded ? new Known(buffer[position]) : passLater(take);
    },
    takeEach: take => (take() || hasEnded ? new Known(undefined) : wait(take)),
    get isTaking() {
      return takeChunk !== undefined;
    },
    takeSpace(most = Number.POSITIVE_INFINITY) {
      const isKnown = position < buffer.length && !isSpace(buffer.charCodeAt(position));
      if (!isKnown) return takeSpaceLater(most);
      visited++;
      return new Known('');
    },

    rest: () => buffer.slice(position),
    startRecording() {
      isRecording = true;
    },
    stopRecording() {
      isRecording = false;
    },
    startKeeping() {
      keeping = '';
    },
    kept() {
      const text = keeping ?? '';
      keeping = undefined;
      return text;
    },
    recorded() {
      const text = record;
      record = '';
      return text;
    },
  };
  return cursor;
}

/** Returns true for the white space of regular expressions. */
const isSpace = (code: number): boolean =>
  code < 128 ? code === 32 || (code >= 9 && code <= 13) : /\s/.test(String.fromCharCode(code));

/** Returns the offset after the white space at offset `start`, of which at most `most` characters are skipped. */
export const findSpaceEnd = (
  cursor: TextCursor,
  { start, most }: { start: number; most: number },
): Reading<number> =>
  cursor.scan((character, offset) => isSpace(character.charCodeAt(0)) && offset < start + most, start);

/** Longer than the name of any tool. */
const MAX_NAME = 128;

/** Characters that no name contains: white space, brackets and quotes. They belong to templates or prose. */
const NOT_IN_NAMES = /[\s{}<>[\]"'`|]/;

/** Takes the characters of a name. Returns an empty string if there are none. */
export function* readName(cursor: TextCursor): Reading<string> {
  const isPart = (character: string, offset: number) => offset < MAX_NAME && !NOT_IN_NAMES.test(character);
  return cursor.take(yield* cursor.scan(isPart));
}

/** Takes a name, which may be in quotes. Returns an empty string if there is none. */
export function* readAttribute(cursor: TextCursor): Reading<string> {
  const quote = yield* cursor.peek();
  if (quote !== '"' && quote !== "'") return yield* readName(cursor);
  const isPart = (character: string, offset: number) =>
    offset < MAX_NAME && character !== quote && character !== '\n';
  const end = yield* cursor.scan(isPart, 1);
  return end < MAX_NAME && (yield* cursor.peek(end)) === quote ? cursor.take(end + 1).slice(1, -1) : '';
}

const stopExpressions = new Map<string, RegExp>();

/** Returns a global expression that matches the first character of any marker. Without markers it matches nothing. */
export function toStopExpression(markers: readonly string[]): RegExp {
  let characters = '';
  for (const marker of markers) if (!characters.includes(marker.charAt(0))) characters += marker.charAt(0);
  const known = stopExpressions.get(characters);
  if (known !== undefined) return known;
  const codes = [...characters].map(
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const expression = new RegExp(codes.length === 0 ? '(?!)' : `[${codes.join('')}]`, 'g');
  stopExpressions.set(characters, expression);
  return expression;
}
