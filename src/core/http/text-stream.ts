/* Text that arrives in chunks: characters, lines, and the events of a server. */

/**
 * Decodes UTF-8 that arrives in chunks, with the same result as `TextDecoder` with `stream: true`. Each chunk is decoded as
 * a complete text without the character that it ends in the middle of. Engines have a fast path for complete texts, and
 * store those in Latin-1 with one byte per character, which also makes them faster to parse.
 */
export function createUtf8Decoder() {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The bytes of an incomplete character, at most three. */
  let held: Uint8Array = new Uint8Array();
  let isBeginning = true;

  return {
    /** Decodes the next chunk, split anywhere. Undefined is the end, where an incomplete character is replaced. */
    decode(bytes: Uint8Array | undefined): string {
      let complete = held;
      if (bytes !== undefined) {
        const all = held.length === 0 ? bytes : concat(held, bytes);
        const end = all.length - incompleteLength(all);
        complete = all.subarray(0, end);
        held = all.slice(end);
      }
      if (complete.length === 0) return '';
      const text = decoder.decode(complete);
      const hasMark = isBeginning && text.startsWith(BYTE_ORDER_MARK);
      isBeginning = false;
      return hasMark ? text.slice(1) : text;
    },
  };
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Returns the number of bytes at the end that begin a longer character. */
function incompleteLength(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes[bytes.length - length];
    if (byte === undefined || byte < 0x80) return 0;
    // A byte from 0xC0 begins a character, others continue one.
    if (byte >= 0xc0) return length < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length : 0;
  }
  return 0;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/**
 * Splits text that arrives in chunks into lines. Each character is examined once.
 *
 * @param lineEnd `lf` ends lines at line feeds only; `any` also at carriage returns and CRLF.
 */
export function createLineSplitter(onLine: (line: string) => void, lineEnd: 'any' | 'lf' = 'any') {
  let partialLine = '';
  let endedInCarriageReturn = false;

  const splitter = {
    /** The length of the unfinished line in characters. */
    bufferedLength: 0,
    /** The number of chunks that the unfinished line consists of. */
    bufferedChunks: 0,

    /** Adds decoded text, split anywhere. */
    push(text: string): void {
      // A CRLF may be split between its two characters.
      let start = endedInCarriageReturn && text.startsWith('\n') ? 1 : 0;
      if (text !== '') endedInCarriageReturn = false;
      let lineFeed = text.indexOf('\n', start);
      let carriageReturn = lineEnd === 'any' ? text.indexOf('\r', start) : -1;

      while (lineFeed >= 0 || carriageReturn >= 0) {
        const isLineFeed = carriageReturn < 0 || (lineFeed >= 0 && lineFeed < carriageReturn);
        const end = isLineFeed ? lineFeed : carriageReturn;
        const line = partialLine === '' ? text.slice(start, end) : partialLine + text.slice(start, end);
        partialLine = '';
        splitter.bufferedLength = 0;
        splitter.bufferedChunks = 0;
        onLine(line);

        start = end + 1;
        if (!isLineFeed) {
          if (start === text.length) endedInCarriageReturn = true;
          else if (lineFeed === start) start++;
        }
        // Searches again only for a line end that has been passed, so that no text is scanned twice.
        if (lineFeed >= 0 && lineFeed < start) lineFeed = text.indexOf('\n', start);
        if (carriageReturn >= 0 && carriageReturn < start) carriageReturn = text.indexOf('\r', start);
      }
      if (start < text.length) {
        partialLine += text.slice(start);
        splitter.bufferedLength += text.length - start;
        splitter.bufferedChunks++;
      }
    },

    /** Emits an unfinished last line. */
    end(): void {
      const line = partialLine;
      partialLine = '';
      splitter.bufferedLength = 0;
      splitter.bufferedChunks = 0;
      if (line !== '') onLine(line);
    },
  };
  return splitter;
}

/** One dispatched event of an SSE stream. `event` is undefined if the stream had no `event:` line. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Parses `text/event-stream` as the WHATWG specification says: lines end in LF, CR or CRLF, a comment line begins with
 * a colon, several `data:` lines are joined with LF. `TextDecoder` handles decoding and the byte order mark.
 *
 * The parser differs in two points: an `event:` line may follow its `data:` line (AWS Bedrock), and `end()` dispatches
 * a last event without a blank line.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function createSseParser(onEvent: (event: SseEvent) => void) {
  const lines = createLineSplitter(readLine);
  let event: string | undefined;
  let data: string | undefined;
  /** The cost of the lines of the unfinished event, in characters. */
  let held = 0;

  return {
    /**
     * Adds the next chunk of decoded text, split anywhere.
     *
     * @throws ResponseLimitError for a line or an event that exceeds the limit.
     */
    feed(text: string): void {
      lines.push(text);
      const buffered = lines.bufferedLength + lines.bufferedChunks * CHUNK_OVERHEAD;
      if (held + buffered > RESPONSE_LIMITS.eventLength) throw tooLongEvent();
    },

    /** Dispatches an event that was not followed by a blank line. */
    end(): void {
      lines.end();
      readLine('');
    },
  };

  function readLine(line: string): void {
    if (line === '') {
      const dispatched = data === undefined ? undefined : { event, data };
      event = undefined;
      data = undefined;
      held = 0;
      if (dispatched !== undefined) onEvent(dispatched);
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      held += value.length + CHUNK_OVERHEAD;
      if (held > RESPONSE_LIMITS.eventLength) throw tooLongEvent();
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith('event:')) {
      event = line.slice(line[6] === ' ' ? 7 : 6);
    } else if (line === 'data') {
      data = data === undefined ? '' : `${data}\n`;
    }
    // Comments, `id:`, `retry:` and unknown fields are ignored: a request is never resumed.
  }
}

const tooLongEvent = (): ResponseLimitError =>
  new ResponseLimitError('eventLength', 'characters in one event');

/**
 * Limits of a response. An untrusted or broken endpoint can send data without end, and an error is better than running
 * out of memory. No genuine response comes near these limits.
 */
export const RESPONSE_LIMITS = {
  /**
   * Characters of one SSE event, one line or one JSON body. The largest known are generated images: about 30 MB of
   * base64 each at the highest resolution.
   */
  eventLength: 64 * 1024 * 1024,
  /** Characters of all text and tool arguments that arrive in deltas. Models write less than one percent of it. */
  streamedLength: 64 * 1024 * 1024,
  /** Characters of all other events. Items with several images arrive twice, and again in the terminal event. */
  otherLength: 256 * 1024 * 1024,
  /** Number of output items. Long agentic responses with hosted tools have a few hundred. */
  items: 10_000,
  /** Depth of nested arrays and objects. `JSON.stringify` and most code that walks a value recurse. */
  nesting: 512,
};

/** The overhead of a chunk in characters: chunks of one byte need much more memory than their text. */
export const CHUNK_OVERHEAD = 32;

/** Thrown for a response that exceeds a limit. `readResponse` converts it to an `APICallError`. */
export class ResponseLimitError extends Error {
  constructor(limit: keyof typeof RESPONSE_LIMITS, unit: string) {
    super(`at most ${RESPONSE_LIMITS[limit].toLocaleString('en-US')} ${unit}`);
  }
}
