/** A text that arrives in many small chunks. */
export interface TextBuffer {
  append(chunk: string): void;
  readonly length: number;
  /** Returns the complete text so far. Slow if it is called for every chunk. */
  toString(): string;
}

/** Number of chunks that are joined at once. */
const BATCH_SIZE = 512;

/**
 * Creates a buffer that joins many chunks at a time. A string that grows by `+=` keeps every chunk until it is read,
 * which takes ten times the memory of its characters.
 */
export function createTextBuffer(): TextBuffer {
  let text = '';
  let chunks: string[] = [];
  let length = 0;
  const join = (): string => {
    if (chunks.length > 0) text += chunks.join('');
    chunks = [];
    return text;
  };
  return {
    append(chunk) {
      length += chunk.length;
      if (chunks.push(chunk) >= BATCH_SIZE) join();
    },
    get length() {
      return length;
    },
    toString: join,
  };
}
