import { RESPONSE_LIMITS, ResponseLimitError, CHUNK_OVERHEAD } from './limits.js';

/** One dispatched event of an SSE stream. `event` is undefined where the stream had no `event:` line. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

export interface SseParser {
  /**
   * Takes the next piece of decoded text, cut anywhere.
   *
   * @throws AnswerLimitError for a line or an event without end.
   */
  feed(text: string): void;
  /** Dispatches what a stream without a final blank line left behind. */
  end(): void;
}

/**
 * A parser for `text/event-stream` after the WHATWG specification: lines end in LF, CR or CRLF, a comment
 * line begins with a colon, several `data:` lines join with LF. It looks at each character once. Decoding and
 * the byte order mark are the `TextDecoder`'s business.
 *
 * Two liberties: an `event:` line may stand after its `data:` line (AWS Bedrock), and `end()` dispatches a last
 * event that lacks its blank line.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function createSseParser(onEvent: (event: SseEvent) => void): SseParser {
  let partialLine = '';
  let endedInCarriageReturn = false;
  let event: string | undefined;
  let data: string | undefined;
  /** What the unfinished line and event take, in characters. */
  let held = 0;
  /** What of that the unfinished line takes. */
  let heldByLine = 0;

  return {
    feed(text) {
      // A CRLF may be cut between its two characters.
      let start = endedInCarriageReturn && text.startsWith('\n') ? 1 : 0;
      if (text !== '') endedInCarriageReturn = false;
      let lineFeed = text.indexOf('\n', start);
      let carriageReturn = text.indexOf('\r', start);

      while (lineFeed >= 0 || carriageReturn >= 0) {
        const isLineFeed = carriageReturn < 0 || (lineFeed >= 0 && lineFeed < carriageReturn);
        const end = isLineFeed ? lineFeed : carriageReturn;
        releaseLine();
        readLine(partialLine === '' ? text.slice(start, end) : partialLine + text.slice(start, end));
        partialLine = '';

        start = end + 1;
        if (!isLineFeed) {
          if (start === text.length) endedInCarriageReturn = true;
          else if (lineFeed === start) start++;
        }
        // Search on only from a line end that has been passed, so that no text is scanned twice.
        if (lineFeed >= 0 && lineFeed < start) lineFeed = text.indexOf('\n', start);
        if (carriageReturn >= 0 && carriageReturn < start) carriageReturn = text.indexOf('\r', start);
      }
      if (start < text.length) {
        partialLine += text.slice(start);
        heldByLine += hold(text.length - start);
      }
    },

    end() {
      releaseLine();
      if (partialLine !== '') readLine(partialLine);
      partialLine = '';
      dispatch();
    },
  };

  function readLine(line: string): void {
    if (line === '') {
      dispatch();
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      hold(value.length);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith('event:')) {
      event = line.slice(line[6] === ' ' ? 7 : 6);
    } else if (line === 'data') {
      data = data === undefined ? '' : `${data}\n`;
    }
    // Comments, `id:`, `retry:` and unknown fields carry nothing for a request that is never resumed.
  }

  /** @returns what is counted for the piece. */
  function hold(length: number): number {
    const counted = length + CHUNK_OVERHEAD;
    held += counted;
    if (held > RESPONSE_LIMITS.eventLength)
      throw new ResponseLimitError('eventLength', 'characters in one event');
    return counted;
  }

  /** A line that is whole is no longer held in pieces: what it says is counted anew. */
  function releaseLine(): void {
    held -= heldByLine;
    heldByLine = 0;
  }

  function dispatch(): void {
    const dispatched = data === undefined ? undefined : { event, data };
    event = undefined;
    data = undefined;
    held = 0;
    if (dispatched !== undefined) onEvent(dispatched);
  }
}
