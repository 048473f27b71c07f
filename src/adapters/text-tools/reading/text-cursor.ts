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
export class TextCursor {
  /** The last character that was taken, or a line feed at the start. */
  previous = '\n';
  /** The number of characters that were visited, singly or in runs. Tests prove with it that parsing is linear. */
  visited = 0;
  /** The number of characters that were taken. */
  taken = 0;
  private buffer = '';
  private position = 0;
  private hasEnded = false;
  private isRecording = false;
  private record = '';
  private keeping: string | undefined;
  /** Takes the chunks that arrive, until it returns true. */
  private takeChunk: (() => boolean) | undefined;

  /** Returns a cursor at the start of a complete text. */
  static of(text: string): TextCursor {
    const cursor = new TextCursor();
    cursor.feed(text);
    cursor.end();
    return cursor;
  }

  /** Adds text. */
  feed(text: string): void {
    this.buffer = this.position === this.buffer.length ? text : this.rest() + text;
    this.position = 0;
    this.takeArrived();
  }

  /** Marks the end of the text. */
  end(): void {
    this.hasEnded = true;
    this.takeArrived();
  }

  private takeArrived(): void {
    if (this.takeChunk !== undefined && (this.takeChunk() || this.hasEnded)) this.takeChunk = undefined;
  }

  /** Waits until `isKnown` returns true after a chunk, or the text has ended. */
  private *wait(isKnown: () => boolean): Reading<void> {
    if (isKnown() || this.hasEnded) return;
    this.takeChunk = isKnown;
    do yield;
    while (this.takeChunk !== undefined);
  }

  /** Returns the character at `offset`, or undefined if the text ends before it. */
  peek(offset = 0): Reading<string | undefined> {
    this.visited++;
    const isKnown = this.hasEnded || this.position + offset < this.buffer.length;
    return isKnown ? new Known(this.buffer[this.position + offset]) : this.peekLater(offset);
  }

  private *peekLater(offset: number): Reading<string | undefined> {
    yield* this.wait(() => this.position + offset < this.buffer.length);
    return this.buffer[this.position + offset];
  }

  /**
   * Passes the characters from offset `start` on to `isPart` until it returns false. Takes nothing.
   *
   * @returns the offset of the character that is no part, or of the end of the text.
   */
  scan(isPart: (character: string, offset: number) => boolean, start = 0): Reading<number> {
    let end = start;
    const scan = () => {
      for (; this.position + end < this.buffer.length; end++) {
        this.visited++;
        if (!isPart(this.buffer.charAt(this.position + end), end)) return true;
      }
      return false;
    };
    return scan() || this.hasEnded ? new Known(end) : this.scanLater(scan, () => end);
  }

  private *scanLater(scan: () => boolean, end: () => number): Reading<number> {
    yield* this.wait(scan);
    return end();
  }

  /** Returns the characters from offset `start` on that `part` matches, up to `most`. Takes nothing. */
  *look(part: RegExp, { start = 0, most = MAX_NAME } = {}): Reading<string> {
    let text = '';
    yield* this.scan(character => {
      if (text.length >= most || !part.test(character)) return false;
      text += character;
      return true;
    }, start);
    return text;
  }

  /** Returns true if `literal` comes next, or after `start` characters. Waits only while it is possible. */
  sees(literal: string, start = 0): Reading<boolean> {
    if (!this.hasEnded && this.position + start + literal.length > this.buffer.length) {
      return this.seesLater(literal, start);
    }
    this.visited++;
    return new Known(this.buffer.startsWith(literal, this.position + start));
  }

  private *seesLater(literal: string, start: number): Reading<boolean> {
    let length = 0;
    // Each character is compared once.
    yield* this.wait(() => {
      const from = this.position + start;
      while (length < literal.length && this.buffer[from + length] === literal[length]) length++;
      this.visited++;
      return length === literal.length || from + length < this.buffer.length;
    });
    return length === literal.length;
  }

  /** Takes `literal` if it comes next. */
  takes(literal: string): Reading<boolean> {
    if (!this.hasEnded && this.position + literal.length > this.buffer.length)
      return this.takesLater(literal);
    this.visited++;
    const isNext = this.buffer.startsWith(literal, this.position);
    if (isNext) this.take(literal.length);
    return new Known(isNext);
  }

  private *takesLater(literal: string): Reading<boolean> {
    const isNext = yield* this.seesLater(literal, 0);
    if (isNext) this.take(literal.length);
    return isNext;
  }

  /** Returns the longest of `literals` that comes next. Waits only while one of them is possible. */
  match(literals: readonly string[]): Reading<string | undefined> {
    let found: string | undefined;
    let rest: string | undefined;
    for (const literal of literals) {
      const mayBeCut = !this.hasEnded && this.position + literal.length > this.buffer.length;
      // The missing text may complete this literal.
      if (mayBeCut && literal.startsWith((rest ??= this.rest()))) return this.matchLater(literals);
      const isLonger = found === undefined || literal.length > found.length;
      if (isLonger && this.buffer.startsWith(literal, this.position)) found = literal;
    }
    this.visited += found?.length ?? 1;
    return new Known(found);
  }

  private *matchLater(literals: readonly string[]): Reading<string | undefined> {
    let found: string | undefined;
    let possible = literals;
    let offset = 0;
    yield* this.wait(() => {
      for (; possible.length > 0 && this.position + offset < this.buffer.length; offset++) {
        this.visited++;
        const character = this.buffer[this.position + offset];
        const longer: string[] = [];
        for (const literal of possible) {
          if (literal[offset] !== character) continue;
          if (literal.length === offset + 1) found = literal;
          else longer.push(literal);
        }
        possible = longer;
      }
      return possible.length === 0;
    });
    return found;
  }

  /** Takes `length` characters that were peeked at before. */
  take(length: number): string {
    const text = this.buffer.slice(this.position, this.position + length);
    this.position += text.length;
    this.visited += text.length;
    this.taken += text.length;
    if (this.isRecording) this.record += text;
    if (this.keeping !== undefined) this.keeping += text;
    if (text !== '') this.previous = text.charAt(text.length - 1);
    return text;
  }

  /** Gives the last characters back that were taken. They must have arrived with the latest chunk. */
  giveBack(length: number): void {
    this.position -= length;
    this.taken -= length;
    if (this.isRecording && length > 0) this.record = this.record.slice(0, -length);
    this.previous = this.buffer.charAt(this.position - 1) || '\n';
  }

  /** Takes the available text that a sticky expression matches at the position. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.buffer);
    if (found === null) return undefined;
    this.take(found[0].length);
    return found;
  }

  /** Takes the available text up to a character that the global expression `stop` matches. */
  takeUntil(stop: RegExp): string {
    stop.lastIndex = this.position;
    const end = stop.test(this.buffer) ? stop.lastIndex - 1 : this.buffer.length;
    return this.take(end - this.position);
  }

  /**
   * Takes all text up to a character that `stop` matches, and passes it on as it arrives. The reading is resumed only at
   * that character, which is returned, or at the end of the text.
   */
  passUntil(stop: RegExp, onText: (text: string) => void): Reading<string | undefined> {
    const take = () => {
      const text = this.takeUntil(stop);
      if (text !== '') onText(text);
      return this.position < this.buffer.length;
    };
    return take() || this.hasEnded ? new Known(this.buffer[this.position]) : this.passLater(take);
  }

  private *passLater(take: () => boolean): Reading<string | undefined> {
    yield* this.wait(take);
    return this.buffer[this.position];
  }

  /** Calls `take` for each chunk until it returns true or the text has ended. The reading is resumed only then. */
  takeEach(take: () => boolean): Reading<void> {
    return take() || this.hasEnded ? new Known(undefined) : this.wait(take);
  }

  /** True while the text is taken in chunks, so that the reading must not be resumed. */
  get isTaking(): boolean {
    return this.takeChunk !== undefined;
  }

  /** Takes white space, up to `most` characters. */
  takeSpace(most = Number.POSITIVE_INFINITY): Reading<string> {
    const isKnown = this.position < this.buffer.length && !isSpace(this.buffer.charCodeAt(this.position));
    if (!isKnown) return this.takeSpaceLater(most);
    this.visited++;
    return new Known('');
  }

  private *takeSpaceLater(most: number): Reading<string> {
    let space = this.takeAvailableSpace(most);
    while (space.length < most && (yield* this.peek()) !== undefined) {
      const next = this.takeAvailableSpace(most - space.length);
      if (next === '') break;
      space += next;
    }
    return space;
  }

  private takeAvailableSpace(most: number): string {
    const { buffer, position } = this;
    let end = position;
    while (end < buffer.length && end - position < most && isSpace(buffer.charCodeAt(end))) end++;
    this.visited++;
    return end === position ? '' : this.take(end - position);
  }

  /** Returns the available text that was not taken. */
  rest(): string {
    return this.position === 0 ? this.buffer : this.buffer.slice(this.position);
  }

  /** Starts recording the text that is taken. */
  startRecording(): void {
    this.isRecording = true;
  }

  /** Ends the recording that `startRecording` began. */
  stopRecording(): void {
    this.isRecording = false;
  }

  /** Returns the text recorded since the last call. */
  recorded(): string {
    const text = this.record;
    this.record = '';
    return text;
  }

  /** Starts keeping the text that is taken, independently of the recording. */
  startKeeping(): void {
    this.keeping = '';
  }

  /** Stops keeping text, and returns it. */
  kept(): string {
    const text = this.keeping ?? '';
    this.keeping = undefined;
    return text;
  }
}

/** Returns true for the white space of regular expressions. */
const isSpace = (code: number): boolean =>
  code < 128 ? code === 32 || (code >= 9 && code <= 13) : /\s/.test(String.fromCharCode(code));

/** The most white space between the parts of a call. */
export const MAX_SPACE = 32;

/** Returns the offset after the white space at offset `start`, of which at most `most` characters are skipped. */
export const findSpaceEnd = (
  cursor: TextCursor,
  { start = 0, most = MAX_SPACE }: { start?: number; most?: number } = {},
): Reading<number> =>
  cursor.scan((character, offset) => isSpace(character.charCodeAt(0)) && offset < start + most, start);

/** Longer than the name of any tool or parameter. */
export const MAX_NAME = 128;

/** The characters of names: no white space, brackets and quotes, which belong to templates or prose. */
const NAME = /[^\s{}<>[\]"'`|]/;

/** Returns the name at the position, without taking it. */
export const lookForName = (cursor: TextCursor): Reading<string> => cursor.look(NAME);

/** Takes the characters of a name. Returns an empty string if there are none. */
export function* readName(cursor: TextCursor, part: RegExp = NAME): Reading<string> {
  return cursor.take((yield* cursor.look(part)).length);
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
