import { createParser } from 'eventsource-parser';
import { describeFailure } from '../../shared/failure.js';
import type { ExchangeEnd, TraceFact } from '../../shared/trace-event.js';
import type { Redactor } from '../redaction/redactor.js';

export interface RecordingFetchOptions {
  readonly record: (fact: TraceFact) => void;
  readonly redactor: Redactor;
  /** Returns the round of the next request. */
  readonly currentRound: () => number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Maximum length of each recorded string in a body. */
const MAX_CHARACTERS = 20_000;

/** Maximum length of a recorded response that is not a stream. */
const MAX_BODY_CHARACTERS = 2_000_000;

/**
 * Creates a `fetch` that records requests and responses without changing them. Keys are removed from URLs, headers and
 * error messages; bodies and events are recorded as they are, and redacted when they are displayed or exported.
 */
export function createRecordingFetch({
  record,
  redactor,
  currentRound,
  fetch = globalThis.fetch,
}: RecordingFetchOptions): typeof globalThis.fetch {
  let count = 0;

  return async (input, init) => {
    const exchange = ++count;
    record({
      type: 'request',
      exchange,
      round: currentRound(),
      method: init?.method ?? 'GET',
      url: redactor.text(toUrl(input)),
      headers: redactor.headers(new Headers(init?.headers)),
      body: shortenStrings(parseBody(init?.body), { maxCharacters: MAX_CHARACTERS }),
    });
    const end = (how: ExchangeEnd, error?: unknown): void =>
      record({
        type: 'exchange-end',
        exchange,
        end: how,
        ...(error !== undefined && { message: redactor.text(describeFailure(error)) }),
      });
    try {
      const response = await fetch(input, init);
      const { status, headers } = response;
      record({ type: 'response', exchange, status, headers: redactor.headers(headers) });
      const reader = createBodyReader(headers, { exchange, record, redactor });
      return withTap(response, { reader, end, signal: init?.signal });
    } catch (error) {
      end(init?.signal?.aborted ? 'aborted' : 'broken', error);
      throw error;
    }
  };
}

interface BodyReader {
  feed(text: string): void;
  finish(): void;
}

function createBodyReader(
  headers: Headers,
  { exchange, record, redactor }: { exchange: number } & Pick<RecordingFetchOptions, 'record' | 'redactor'>,
): BodyReader {
  if (headers.get('content-type')?.includes('text/event-stream')) {
    const parser = createParser({
      onEvent({ event, data }) {
        const json = shortenStrings(parseBody(data), { maxCharacters: MAX_CHARACTERS });
        record({ type: 'wire', exchange, name: event ?? toEventType(json), data: json });
      },
    });
    return { feed: text => parser.feed(text), finish: () => parser.reset({ consume: true }) };
  }
  let body = '';
  let omitted = 0;
  return {
    feed(text) {
      const kept = text.slice(0, MAX_BODY_CHARACTERS - body.length);
      body += kept;
      omitted += text.length - kept.length;
    },
    finish() {
      const note = omitted === 0 ? '' : `… (${omitted} more characters)`;
      record({ type: 'body', exchange, text: redactor.text(body) + note });
    },
  };
}

interface TapOptions {
  readonly reader: BodyReader;
  readonly end: (how: ExchangeEnd, error?: unknown) => void;
  readonly signal: AbortSignal | null | undefined;
}

/**
 * Returns the response with a body that is also recorded. Canceling one branch of a `clone()` would leave the connection
 * open.
 */
function withTap(response: Response, { reader, end, signal }: TapOptions): Response {
  const source = response.body?.getReader();
  if (source === undefined) {
    end('complete');
    return response;
  }
  const decoder = new TextDecoder();
  let isFinished = false;
  // A canceled body can end twice: by the cancellation and by the pending read that fails.
  const finish = (how: ExchangeEnd, error?: unknown): void => {
    if (isFinished) return;
    isFinished = true;
    reader.finish();
    end(how, error);
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await source.read();
        if (done) {
          finish('complete');
          controller.close();
          return;
        }
        reader.feed(decoder.decode(value, { stream: true }));
        controller.enqueue(value);
      } catch (error) {
        finish(signal?.aborted ? 'aborted' : 'broken', error);
        controller.error(error);
      }
    },
    async cancel(reason) {
      finish('aborted');
      await source.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

const toUrl = (input: Parameters<typeof fetch>[0]): string =>
  typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;

function parseBody(body: unknown): unknown {
  if (typeof body !== 'string') return body === null || body === undefined ? undefined : '(not text)';
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const toEventType = (json: unknown): string =>
  typeof json === 'object' && json !== null && 'type' in json && typeof json.type === 'string'
    ? json.type
    : 'message';

/** Truncates long strings anywhere in JSON, such as base64 images, and appends the number of omitted characters. */
function shortenStrings(value: unknown, { maxCharacters }: { maxCharacters: number }): unknown {
  const shorten = (entry: unknown): unknown => {
    if (typeof entry === 'string') {
      const omitted = entry.length - maxCharacters;
      return omitted > 0 ? `${entry.slice(0, maxCharacters)}… (${omitted} more characters)` : entry;
    }
    if (Array.isArray(entry)) return entry.map(shorten);
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, inner]) => [name, shorten(inner)]));
  };
  return shorten(value);
}
