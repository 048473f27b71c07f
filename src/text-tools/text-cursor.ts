/** A parsing step. It yields when it needs more text, and is resumed after more text or the end has arrived. */
export type Reading<Result> = Generator<void, Result, void>;

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
  /** Returns true if `literal` comes next, or after `start` characters. Waits only while it is possible. */
  sees(literal: string, start?: number): Reading<boolean>;
  /** Takes `literal` if it comes next. */
  takes(literal: string): Reading<boolean>;
  /** Returns the longest of `literals` that comes next. Waits only while one of them is possible. */
  match(literals: readonly string[]): Reading<string | undefined>;
  /** Takes `length` characters that were peeked at before. */
  take(length: number): string;
  /** Takes the available text up to a match of the global expression `stop`. */
  takeUntil(stop: RegExp): string;
  /** Returns text that was taken before to the position. */
  giveBack(text: string): void;
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
      buffer = buffer.slice(position) + text;
      position = 0;
    },
    end() {
      hasEnded = true;
    },

    *peek(offset = 0) {
      visited++;
      while (position + offset >= buffer.length) {
        if (hasEnded) return undefined;
        yield;
      }
      return buffer[position + offset];
    },

    *sees(literal, start = 0) {
      for (let offset = 0; offset < literal.length; offset++) {
        if ((yield* cursor.peek(start + offset)) !== literal[offset]) return false;
      }
      return true;
    },
    *takes(literal) {
      const isNext = yield* cursor.sees(literal);
      if (isNext) cursor.take(literal.length);
      return isNext;
    },

    *match(literals) {
      let found: string | undefined;
      let possible = literals;
      for (let offset = 0; possible.length > 0; offset++) {
        const character = yield* cursor.peek(offset);
        possible = possible.filter(literal => literal[offset] === character);
        const match = possible.find(literal => literal.length === offset + 1);
        found = match ?? found;
        possible = possible.filter(literal => literal !== match);
      }
      return found;
    },

    take(length) {
      const text = buffer.slice(position, position + length);
      position += text.length;
      visited += text.length;
      taken += text.length;
      if (isRecording) record += text;
      if (keeping !== undefined) keeping += text;
      previous = text.at(-1) ?? previous;
      return text;
    },
    takeUntil(stop) {
      stop.lastIndex = position;
      const end = stop.exec(buffer)?.index ?? buffer.length;
      return cursor.take(end - position);
    },
    giveBack(text) {
      buffer = text + buffer.slice(position);
      position = 0;
      taken -= text.length;
    },
    *takeSpace(most = Number.POSITIVE_INFINITY) {
      let space = '';
      while (space.length < most) {
        const character = yield* cursor.peek();
        if (character === undefined || !isSpace(character)) break;
        space += cursor.take(1);
      }
      return space;
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

const isSpace = (character: string): boolean => /\s/.test(character);

/** Returns the offset after the white space at offset `start`, of which at most `most` characters are skipped. */
export function* findSpaceEnd(
  cursor: TextCursor,
  { start, most }: { start: number; most: number },
): Reading<number> {
  let end = start;
  let character = yield* cursor.peek(end);
  while (character !== undefined && isSpace(character) && end < start + most) {
    character = yield* cursor.peek(++end);
  }
  return end;
}

/** Longer than the name of any tool. */
const MAX_NAME = 128;

/** Characters that no name contains: white space, brackets and quotes. They belong to templates or prose. */
const NOT_IN_NAMES = /[\s{}<>[\]"'`|]/;

/** Takes the characters of a name. Returns an empty string if there are none. */
export function* readName(cursor: TextCursor): Reading<string> {
  let length = 0;
  for (; length < MAX_NAME; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || NOT_IN_NAMES.test(character)) break;
  }
  return cursor.take(length);
}

/** Takes a name, which may be in quotes. Returns an empty string if there is none. */
export function* readAttribute(cursor: TextCursor): Reading<string> {
  const quote = yield* cursor.peek();
  if (quote !== '"' && quote !== "'") return yield* readName(cursor);
  for (let length = 1; length < MAX_NAME; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || character === '\n') break;
    if (character === quote) return cursor.take(length + 1).slice(1, -1);
  }
  return '';
}

/** Returns a global expression that matches the first character of any marker. Without markers it matches nothing. */
export function toStopExpression(markers: readonly string[]): RegExp {
  const characters = new Set(
    markers.map(marker => `\\u${marker.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
  return new RegExp(characters.size === 0 ? '(?!)' : `[${[...characters].join('')}]`, 'g');
}
