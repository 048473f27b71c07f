export interface LineSplitter {
  /** Adds decoded text, split anywhere. */
  push(text: string): void;
  /** Emits an unfinished last line. */
  end(): void;
  /** The length of the unfinished line in characters. */
  readonly bufferedLength: number;
  /** The number of chunks that the unfinished line consists of. */
  readonly bufferedChunks: number;
}

export interface LineSplitterOptions {
  /** `lf` ends lines at line feeds only; `any` also at carriage returns and CRLF. @default 'any' */
  readonly lineEnd?: 'any' | 'lf';
}

/** Splits text that arrives in chunks into lines. Each character is examined once. */
export function createLineSplitter(
  onLine: (line: string) => void,
  { lineEnd = 'any' }: LineSplitterOptions = {},
): LineSplitter {
  const findReturn =
    lineEnd === 'any' ? (text: string, start: number) => text.indexOf('\r', start) : () => -1;
  let partialLine = '';
  let endedInCarriageReturn = false;
  let bufferedLength = 0;
  let bufferedChunks = 0;

  return {
    push(text) {
      // A CRLF may be split between its two characters.
      let start = endedInCarriageReturn && text.startsWith('\n') ? 1 : 0;
      if (text !== '') endedInCarriageReturn = false;
      let lineFeed = text.indexOf('\n', start);
      let carriageReturn = findReturn(text, start);

      while (lineFeed >= 0 || carriageReturn >= 0) {
        const isLineFeed = carriageReturn < 0 || (lineFeed >= 0 && lineFeed < carriageReturn);
        const end = isLineFeed ? lineFeed : carriageReturn;
        const line = partialLine === '' ? text.slice(start, end) : partialLine + text.slice(start, end);
        partialLine = '';
        bufferedLength = 0;
        bufferedChunks = 0;
        onLine(line);

        start = end + 1;
        if (!isLineFeed) {
          if (start === text.length) endedInCarriageReturn = true;
          else if (lineFeed === start) start++;
        }
        // Searches again only for a line end that has been passed, so that no text is scanned twice.
        if (lineFeed >= 0 && lineFeed < start) lineFeed = text.indexOf('\n', start);
        if (carriageReturn >= 0 && carriageReturn < start) carriageReturn = findReturn(text, start);
      }
      if (start < text.length) {
        partialLine += text.slice(start);
        bufferedLength += text.length - start;
        bufferedChunks++;
      }
    },

    end() {
      const line = partialLine;
      partialLine = '';
      bufferedLength = 0;
      bufferedChunks = 0;
      if (line !== '') onLine(line);
    },

    get bufferedLength() {
      return bufferedLength;
    },

    get bufferedChunks() {
      return bufferedChunks;
    },
  };
}
