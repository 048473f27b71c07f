/** A text that comes in many small pieces. */
export interface TextBuffer {
  append(piece: string): void;
  readonly length: number;
  /** All of it so far. Not to be asked for at every piece. */
  toString(): string;
}

/** How many pieces wait to be joined. */
const WAITING = 512;

/**
 * Joins pieces many at a time. A string that grows piece by piece keeps each of them until it is read, at ten times the
 * memory of its characters.
 */
export function createTextBuffer(): TextBuffer {
  let text = '';
  let pieces: string[] = [];
  let length = 0;
  const join = (): string => {
    if (pieces.length > 0) text += pieces.join('');
    pieces = [];
    return text;
  };
  return {
    append(piece) {
      length += piece.length;
      if (pieces.push(piece) >= WAITING) join();
    },
    get length() {
      return length;
    },
    toString: join,
  };
}
