import { CHUNK_OVERHEAD, RESPONSE_LIMITS, ResponseLimitError } from './limits.js';
import { createLineSplitter } from '../shared/line-splitter.js';

/** One dispatched event of an SSE stream. `event` is undefined if the stream had no `event:` line. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

export interface SseParser {
  /**
   * Adds the next chunk of decoded text, split anywhere.
   *
   * @throws ResponseLimitError for a line or an event that exceeds the limit.
   */
  feed(text: string): void;
  /** Dispatches an event that was not followed by a blank line. */
  end(): void;
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
export function createSseParser(onEvent: (event: SseEvent) => void): SseParser {
  const lines = createLineSplitter(readLine);
  let event: string | undefined;
  let data: string | undefined;
  /** The cost of the lines of the unfinished event, in characters. */
  let held = 0;

  return {
    feed(text) {
      lines.push(text);
      checkLimit(lines.bufferedLength + lines.bufferedChunks * CHUNK_OVERHEAD);
    },

    end() {
      lines.end();
      dispatch();
    },
  };

  function readLine(line: string): void {
    if (line === '') {
      dispatch();
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      held += value.length + CHUNK_OVERHEAD;
      checkLimit();
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith('event:')) {
      event = line.slice(line[6] === ' ' ? 7 : 6);
    } else if (line === 'data') {
      data = data === undefined ? '' : `${data}\n`;
    }
    // Comments, `id:`, `retry:` and unknown fields are ignored: a request is never resumed.
  }

  function checkLimit(buffered = 0): void {
    if (held + buffered > RESPONSE_LIMITS.eventLength)
      throw new ResponseLimitError('eventLength', 'characters in one event');
  }

  function dispatch(): void {
    const dispatched = data === undefined ? undefined : { event, data };
    event = undefined;
    data = undefined;
    held = 0;
    if (dispatched !== undefined) onEvent(dispatched);
  }
}
