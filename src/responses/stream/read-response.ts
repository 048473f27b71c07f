import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { RESPONSE_LIMITS, ResponseLimitError, CHUNK_OVERHEAD } from '../../http/limits.js';
import { createEventMapper, type EventMapper } from './event-mapper.js';
import type { DeclaredTools } from './hosted-item.js';
import { isNestedDeeper } from '../../http/limits.js';
import { redactJson } from '../../http/redaction.js';
import type { ReadBytes } from '../../http/open-response.js';
import { RETRYABLE } from '../../http/retry.js';
import { createSseParser } from '../../http/sse-parser.js';
import { toErrorText } from '../../http/api-error.js';
import { createSequenceNumbers } from './sequence-numbers.js';
import { DONE_MARKER, type ResponsesEvent, toResponsesEvent, toUntypedEvent } from './responses-event.js';
import type { ErrorContext } from '../../http/api-error.js';
import { isPlainObject, type PlainObject } from '../../shared/json.js';
import { createUtf8Decoder } from '../../shared/utf8-decoder.js';

export interface ReadResponseOptions {
  readonly read: ReadBytes;
  readonly errorContext: ErrorContext;
  /** Removes the credentials of the request from raw events. */
  readonly redactKnown: (text: string) => string;
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  /** The tools that the host declared. */
  readonly declared: DeclaredTools;
  /** The requested limit of output tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** True if the server stores the response, so that `previousResponseId` can continue it. */
  readonly isKept: boolean;
  /** Reports the counts that version 2 of the model interface does not have. @default false */
  readonly hasUsageDetails?: boolean;
  /** True if the host requested JSON. */
  readonly isJson?: boolean;
  /** Called with each finished item that is neither a message, reasoning nor a function call. @default the items are not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
  /** Adds a `raw` part for every event. */
  readonly includeRawChunks?: boolean;
  /**
   * Adds the numbers of events to the parts, and leaves out the parts of the events up to `after`.
   * @default parts have no numbers
   */
  readonly sequenceNumbers?: { readonly after?: number | undefined } | undefined;
  readonly signal?: AbortSignal;
  /** Closes the connection. Called at the end of the response, also after an abort. */
  readonly close: () => void;
}

/** A response as stream parts, in batches as its body arrives. */
export interface ResponseReader {
  /** Returns the next parts, at least one, or undefined after the `finish` part. Rejects only on abort. */
  next(): Promise<LanguageModelV2StreamPart[] | undefined>;
  /** Returns the terminal response object without the credentials of the request. */
  body(): unknown;
}

/** The limits that apply to a complete response, each with its unit. */
const TOTAL_LIMITS = {
  streamedLength: 'characters of text and tool arguments',
  otherLength: 'characters of events',
};

/**
 * The time for which a stream is read after its terminal event, in milliseconds. Some servers keep the connection open;
 * others send another lifecycle at once.
 */
const GRACE_PERIOD = 1_000;

/** The maximum number of bytes processed at once: all parts of a chunk are in memory before the first is used. */
const CHUNK_SIZE = 32 * 1024;

/**
 * Reads a response body, streamed or not. The first character distinguishes an event stream from a JSON document,
 * because content types are unreliable. Both use the same mapper.
 */
export function readResponse(options: ReadResponseOptions): ResponseReader {
  const { read, errorContext, redactKnown, includeRawChunks = false, signal, close } = options;
  let batch: LanguageModelV2StreamPart[] = [];
  const write = (part: LanguageModelV2StreamPart): void => void batch.push(part);
  const numbers = options.sequenceNumbers && createSequenceNumbers(write, options.sequenceNumbers);
  const mapper = createEventMapper({ ...options, write: numbers?.write ?? write });
  const decoder = createUtf8Decoder();
  let format: BodyFormat | undefined;
  /** The rest of a large chunk. */
  let rest: Uint8Array | undefined;
  let isOver = false;
  let sawDoneMarker = false;
  const countStreamed = createCounter('streamedLength');
  const countOther = createCounter('otherLength');

  const parser = createSseParser(dispatch => {
    const event = toResponsesEvent(dispatch);
    if (event === undefined) return mapper.drop(dispatch.data);
    numbers?.begin(event.fields);
    if (event.type === DONE_MARKER) sawDoneMarker = true;
    else if (includeRawChunks) batch.push({ type: 'raw', rawValue: toRawValue(event.fields, dispatch.data) });
    const { delta } = event.fields;
    if (typeof delta === 'string') countStreamed(delta);
    else countOther(dispatch.data);
    mapper.map(event);
  });

  return {
    async next() {
      batch = [];
      while (!isOver && batch.length === 0) {
        let bytes: Uint8Array | undefined;
        try {
          signal?.throwIfAborted();
          bytes = rest ?? (await read(mapper.state === 'terminal' ? { within: GRACE_PERIOD } : undefined));
        } catch (error) {
          stop(error);
          continue;
        }
        rest = bytes !== undefined && bytes.length > CHUNK_SIZE ? bytes.subarray(CHUNK_SIZE) : undefined;
        processChunk(rest === undefined ? bytes : bytes?.subarray(0, CHUNK_SIZE));
      }
      return batch.length > 0 ? batch : undefined;
    },

    body: () => redactJson(mapper.response, redactKnown),
  };

  /** Processes the next chunk of the body, or its end. */
  function processChunk(bytes: Uint8Array | undefined): void {
    const isProcessed = attempt(() => {
      feed(decoder.decode(bytes));
      if (bytes === undefined) format?.end();
    });
    if (!isProcessed || bytes === undefined) return finish();
    if (mapper.state === 'failed' || (sawDoneMarker && mapper.state !== 'open')) finish();
  }

  /** Ends the response after a failed read. */
  function stop(error: unknown): void {
    if (signal?.aborted) {
      close();
      throw error;
    }
    // After its terminal event a response is complete, even if the connection breaks.
    if (mapper.state !== 'terminal') fail(error);
    finish();
  }

  function feed(text: string): void {
    const beginning = format === undefined ? text.trimStart() : text;
    if (beginning === '') return;
    format ??= toBodyFormat(beginning);
    format.feed(text);
  }

  /** Returns an event unchanged except for credentials that it repeats. */
  function toRawValue(fields: unknown, data: string): unknown {
    return redactKnown(data) === data ? fields : redactJson(fields, redactKnown);
  }

  function finish(): void {
    // If closing the last items fails, the error is written and the items are closed as broken.
    if (!attempt(() => mapper.end())) mapper.end();
    isOver = true;
    close();
  }

  /** Reports an exception as a failure of the stream. If it were thrown, the host's promises would stay pending. */
  function attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }

  function fail(error: unknown): void {
    mapper.fail(error instanceof ResponseLimitError ? toLimitError(error, errorContext) : error);
  }

  function toBodyFormat(beginning: string): BodyFormat {
    if (beginning.startsWith('{') || beginning.startsWith('[')) return createJsonBody(mapper, options);
    if (beginning.startsWith('<')) return createHtmlBody(mapper, errorContext);
    return parser;
  }
}

/** Counts text that may stay in memory until the end of the response. */
function createCounter(kind: keyof typeof TOTAL_LIMITS): (text: string) => void {
  const limit = RESPONSE_LIMITS[kind];
  let total = 0;
  return ({ length }) => {
    total += length + CHUNK_OVERHEAD;
    if (total > limit) throw new ResponseLimitError(kind, TOTAL_LIMITS[kind]);
  };
}

interface BodyFormat {
  feed(text: string): void;
  end(): void;
}

/** Reads a JSON document: a response that was not streamed, or an error. */
function createJsonBody(mapper: EventMapper, { errorContext }: ReadResponseOptions): BodyFormat {
  const chunks: string[] = [];
  let length = 0;
  return {
    feed(text) {
      chunks.push(text);
      length += text.length + CHUNK_OVERHEAD;
      if (length > RESPONSE_LIMITS.eventLength)
        throw new ResponseLimitError('eventLength', 'characters of JSON');
    },
    end() {
      const body = chunks.join('');
      if (isNestedDeeper(body, RESPONSE_LIMITS.nesting))
        throw new ResponseLimitError('nesting', 'levels of nesting');
      let fields: unknown;
      try {
        fields = JSON.parse(body);
      } catch {
        // The parser's error quotes the body, possibly with a truncated key that cannot be recognized.
        return mapper.fail(toUnexpectedBodyError('an invalid JSON document', body, errorContext));
      }
      const event = isPlainObject(fields) ? toDocumentEvent(fields) : undefined;
      if (event === undefined) return mapper.fail(toUnexpectedBodyError('other JSON', body, errorContext));
      mapper.map(event);
    },
  };
}

/** Converts a document to an event. An error event can be the entire body: `{"type":"error","code":…}`. */
const toDocumentEvent = (fields: PlainObject): ResponsesEvent | undefined =>
  fields.type === 'error' ? { type: 'error', fields } : toUntypedEvent(fields);

/** Reads a web page: the address belongs to a site, a proxy or a sign-in page. */
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

/** The part of a web page that is read, in characters: enough to quote it and to find a key before the end. */
const MAX_PAGE = 4_096;

/** Reports a response that exceeds a limit. */
function toLimitError(
  { message }: ResponseLimitError,
  { url, requestBody, responseHeaders }: ErrorContext,
): APICallError {
  return new APICallError({
    message: `Expected a response from ${url} with ${message}, got more. Check that \`baseURL\` points to the right server.`,
    url,
    requestBodyValues: requestBody,
    responseHeaders,
    isRetryable: RETRYABLE.responseLimit,
  });
}

/** Reports a body with status 200 that does not belong to the Responses API. */
function toUnexpectedBodyError(received: string, body: string, context: ErrorContext): APICallError {
  const { url, requestBody, responseHeaders, redact } = context;
  const excerpt = redact(body).replace(/\s+/g, ' ').trim().slice(0, 120);
  return new APICallError({
    message:
      `Expected a Responses API response from ${url}, got ${received}: ${toErrorText(JSON.stringify(excerpt))}. ` +
      'Check that `baseURL` is the API root of a server that supports the Responses API, such as "https://api.openai.com/v1".',
    url,
    requestBodyValues: requestBody,
    responseHeaders,
    isRetryable: RETRYABLE.unexpectedResponse,
  });
}
