import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { RESPONSE_LIMITS, ResponseLimitError, CHUNK_OVERHEAD } from '../../http/limits.js';
import { createEventMapper, type EventMapper } from './event-mapper.js';
import type { DeclaredTools } from './hosted-item.js';
import { isNestedDeeper } from '../../http/limits.js';
import { redactJson } from '../../http/redaction.js';
import type { ReadBytes } from '../../http/open-response.js';
import { createSseParser } from '../../http/sse-parser.js';
import { toErrorText } from '../../http/api-error.js';
import { DONE_MARKER, type ResponsesEvent, toResponsesEvent, toUntypedEvent } from './responses-event.js';
import type { ErrorContext } from '../../http/api-error.js';
import { isPlainObject, type PlainObject } from '../../shared/json.js';

export interface ReadResponseOptions {
  readonly read: ReadBytes;
  readonly errorContext: ErrorContext;
  /** Removes the credentials of the request from raw events. */
  readonly redactKnown: (text: string) => string;
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  /** The tools that the host knows. */
  readonly declared: DeclaredTools;
  /** Whether the request asked for an answer that the server keeps, to be continued by `previousResponseId`. */
  readonly isKept: boolean;
  /** Adds a `raw` part for every event. */
  readonly includeRawChunks?: boolean;
  readonly signal?: AbortSignal;
  /** Lets go of the connection. Called when the answer is over, also by an abort. */
  readonly close: () => void;
}

/** An answer of the server as stream parts, in batches as its body comes. */
export interface ResponseReader {
  /** The next parts, at least one; undefined after the `finish` part has been given. Rejects on abort alone. */
  next(): Promise<LanguageModelV2StreamPart[] | undefined>;
}

/** What is counted over a whole answer. */
const KEPT = {
  streamedLength: 'characters of text and tool arguments',
  otherLength: 'characters of events',
};

/**
 * How long a stream is read on after its terminal event, in milliseconds. Some servers keep the connection open; the
 * wait is only for those that send another lifecycle at once.
 */
const LINGER = 1_000;

/** How much of a body is read at once, in bytes: what a larger piece becomes would all be in memory before it is used. */
const PIECE = 32 * 1024;

/**
 * Reads a response body, streamed or not: the first character tells an event stream from a JSON document, for
 * content types are not reliable. Both go through the same mapper.
 */
export function readResponse(options: ReadResponseOptions): ResponseReader {
  const { read, errorContext, redactKnown, includeRawChunks = false, signal, close } = options;
  let batch: LanguageModelV2StreamPart[] = [];
  const mapper = createEventMapper({ ...options, write: part => batch.push(part) });
  const decoder = new TextDecoder();
  let format: BodyFormat | undefined;
  /** What is left of a large piece. */
  let rest: Uint8Array | undefined;
  let isOver = false;
  let sawDoneMarker = false;
  const lengths = { streamedLength: 0, otherLength: 0 };

  const parser = createSseParser(dispatch => {
    const event = toResponsesEvent(dispatch);
    if (event === undefined) return mapper.drop(dispatch.data);
    if (event.type === DONE_MARKER) sawDoneMarker = true;
    else if (includeRawChunks) batch.push({ type: 'raw', rawValue: toRawValue(event.fields, dispatch.data) });
    const { delta } = event.fields;
    if (typeof delta === 'string') keep('streamedLength', delta);
    else keep('otherLength', dispatch.data);
    mapper.map(event);
  });

  return {
    async next() {
      batch = [];
      while (!isOver && batch.length === 0) {
        let bytes: Uint8Array | undefined;
        try {
          signal?.throwIfAborted();
          bytes = rest ?? (await read(mapper.state === 'terminal' ? { within: LINGER } : undefined));
        } catch (error) {
          breakOff(error);
          continue;
        }
        rest = bytes !== undefined && bytes.length > PIECE ? bytes.subarray(PIECE) : undefined;
        take(rest === undefined ? bytes : bytes?.subarray(0, PIECE));
      }
      return batch.length > 0 ? batch : undefined;
    },
  };

  /** Takes the next piece of the body, or its end. */
  function take(bytes: Uint8Array | undefined): void {
    const isTaken = attempt(() => {
      feed(decoder.decode(bytes, { stream: bytes !== undefined }));
      if (bytes === undefined) format?.end();
    });
    if (!isTaken || bytes === undefined) return finish();
    if (mapper.state === 'failed' || (sawDoneMarker && mapper.state === 'terminal')) finish();
  }

  function breakOff(error: unknown): void {
    if (signal?.aborted) {
      close();
      throw error;
    }
    // After its terminal event an answer is whole, however the connection ends.
    if (mapper.state === 'open') mapper.fail(error);
    finish();
  }

  function feed(text: string): void {
    const beginning = format === undefined ? text.trimStart() : text;
    if (beginning === '') return;
    format ??= toBodyFormat(beginning);
    format.feed(text);
  }

  /** Counts what an event may leave behind until the end. */
  function keep(kind: keyof typeof lengths, { length }: string): void {
    lengths[kind] += length + CHUNK_OVERHEAD;
    if (lengths[kind] > RESPONSE_LIMITS[kind]) throw new ResponseLimitError(kind, KEPT[kind]);
  }

  /** An event as it came, but for the key in an error of it. */
  function toRawValue(fields: unknown, data: string): unknown {
    return redactKnown(data) === data ? fields : redactJson(fields, redactKnown);
  }

  function finish(): void {
    // What fails while the last items are closed is told, and they are closed as broken.
    if (!attempt(() => mapper.end())) mapper.end();
    isOver = true;
    close();
  }

  /** Nothing that a server sends may make the stream throw: a host's promises would never settle. */
  function attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      mapper.fail(error instanceof ResponseLimitError ? toLimitError(error, errorContext) : error);
      return false;
    }
  }

  function toBodyFormat(beginning: string): BodyFormat {
    if (beginning.startsWith('{') || beginning.startsWith('[')) return createJsonBody(mapper, options);
    if (beginning.startsWith('<')) return createHtmlBody(mapper, errorContext);
    return parser;
  }
}

interface BodyFormat {
  feed(text: string): void;
  end(): void;
}

/** A whole response object: the answer to a request that did not ask for a stream, or an error. */
function createJsonBody(mapper: EventMapper, { errorContext }: ReadResponseOptions): BodyFormat {
  const pieces: string[] = [];
  let length = 0;
  return {
    feed(text) {
      pieces.push(text);
      length += text.length + CHUNK_OVERHEAD;
      if (length > RESPONSE_LIMITS.eventLength)
        throw new ResponseLimitError('eventLength', 'characters of JSON');
    },
    end() {
      const body = pieces.join('');
      if (isNestedDeeper(body, RESPONSE_LIMITS.nesting))
        throw new ResponseLimitError('nesting', 'arrays and objects in each other');
      let fields: unknown;
      try {
        fields = JSON.parse(body);
      } catch {
        // Its own error repeats pieces of the body, in which a key may be cut beyond recognition.
        return mapper.fail(toUnexpectedBodyError('a JSON document that is broken', body, errorContext));
      }
      const event = isPlainObject(fields) ? toDocumentEvent(fields) : undefined;
      if (event === undefined) return mapper.fail(toUnexpectedBodyError('other JSON', body, errorContext));
      mapper.map(event);
    },
  };
}

/** An error event may be the whole answer: `{"type":"error","code":…}`. */
const toDocumentEvent = (fields: PlainObject): ResponsesEvent | undefined =>
  fields.type === 'error' ? { type: 'error', fields } : toUntypedEvent(fields);

/** A web page: the address is one of a site, a proxy or a login. */
function createHtmlBody(mapper: EventMapper, errorContext: ErrorContext): BodyFormat {
  let page = '';
  const fail = () => mapper.fail(toUnexpectedBodyError('a web page', page, errorContext));
  return {
    feed(text) {
      page += text;
      if (page.length >= MAX_PAGE) fail();
    },
    end: fail,
  };
}

/** How much of a web page is read, in characters: enough to quote it, with room for a key that is not quoted. */
const MAX_PAGE = 4_096;

/** An answer that was given up, for it would have filled the memory. */
function toLimitError(
  { message }: ResponseLimitError,
  { url, requestBody, responseHeaders }: ErrorContext,
): APICallError {
  return new APICallError({
    message: `Expected a response from ${url} with ${message}, got more. Check that \`baseURL\` leads to the right server.`,
    url,
    requestBodyValues: requestBody,
    responseHeaders,
    isRetryable: false,
  });
}

/** An answer of status 200 that is not one of the Responses API. */
function toUnexpectedBodyError(came: string, body: string, context: ErrorContext): APICallError {
  const { url, requestBody, responseHeaders, redact } = context;
  const excerpt = redact(body).replace(/\s+/g, ' ').trim().slice(0, 120);
  return new APICallError({
    message:
      `Expected a Responses API response from ${url}, got ${came}: ${toErrorText(JSON.stringify(excerpt))}. ` +
      'Check that `baseURL` is the API root of a server that speaks the Responses API, such as "https://api.openai.com/v1".',
    url,
    requestBodyValues: requestBody,
    responseHeaders,
    isRetryable: false,
  });
}
