/**
 * A step of a parser. It yields where it needs text that has not come yet, and is resumed when more has come or none
 * will.
 */
export type Reading<Result> = Generator<void, Result, void>;

/** A place in text that arrives in pieces. Looking ahead is bounded by tags; everything else is taken as it comes. */
export interface TextCursor {
  /** The character last taken, or a line feed where nothing has been. */
  readonly previous: string;
  /** How many characters have been looked at, one by one or in runs: the work done, for tests of linearity. */
  readonly visited: number;
  /** More text has come. */
  feed(text: string): void;
  /** No more text will come. */
  end(): void;
  /** The character at `offset` from here, or undefined where the text ends before it. */
  peek(offset?: number): Reading<string | undefined>;
  /** Whether `literal` comes next, or `start` characters on. Waits only as long as it may. */
  sees(literal: string, start?: number): Reading<boolean>;
  /** Takes `literal` if it comes next. */
  takes(literal: string): Reading<boolean>;
  /** The longest of `literals` that comes next. Waits only while one of them may still come. */
  match(literals: readonly string[]): Reading<string | undefined>;
  /** Takes `length` characters that have been looked at. */
  take(length: number): string;
  /** Takes what has come, up to a character that the global expression `stop` finds. */
  takeUntil(stop: RegExp): string;
  /** Takes the white space that comes next, up to `most` characters. */
  takeSpace(most?: number): Reading<string>;
  /** What has come and was not taken. */
  rest(): string;
  /** Remembers what is taken from here on. */
  startRecording(): void;
  /** Remembers nothing of what is taken from here on. */
  stopRecording(): void;
  /** What was recorded since it was last asked for. */
  recorded(): string;
}

export function createTextCursor(): TextCursor {
  let buffer = '';
  let position = 0;
  let hasEnded = false;
  let visited = 0;
  let previous = '\n';
  let isRecording = false;
  let record = '';

  const cursor: TextCursor = {
    get previous() {
      return previous;
    },
    get visited() {
      return visited;
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
      const isThere = yield* cursor.sees(literal);
      if (isThere) cursor.take(literal.length);
      return isThere;
    },

    *match(literals) {
      let found: string | undefined;
      let possible = literals;
      for (let offset = 0; possible.length > 0; offset++) {
        const character = yield* cursor.peek(offset);
        possible = possible.filter(literal => literal[offset] === character);
        const whole = possible.find(literal => literal.length === offset + 1);
        found = whole ?? found;
        possible = possible.filter(literal => literal !== whole);
      }
      return found;
    },

    take(length) {
      const text = buffer.slice(position, position + length);
      position += text.length;
      visited += text.length;
      if (isRecording) record += text;
      previous = text.at(-1) ?? previous;
      return text;
    },
    takeUntil(stop) {
      stop.lastIndex = position;
      const end = stop.exec(buffer)?.index ?? buffer.length;
      return cursor.take(end - position);
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
    recorded() {
      const text = record;
      record = '';
      return text;
    },
  };
  return cursor;
}

export const isSpace = (character: string): boolean => /\s/.test(character);
