import type { APICallError } from '@ai-sdk/provider';
import type { Part } from '../../core/part.js';
import { createCallError, toErrorText, type ErrorContext } from '../../core/http/api-error.js';
import {
  CHUNK_OVERHEAD,
  createSseParser,
  createUtf8Decoder,
  RESPONSE_LIMITS,
  ResponseLimitError,
  type SseEvent,
} from '../../core/http/text-stream.js';
import type { ReadBytes } from '../../core/http/open-response.js';
import { redactJson } from '../../core/redaction/redaction.js';
import {
  isNestedDeeper,
  isNonEmptyArray,
  isPlainObject,
  type PlainObject,
  tryParseJson,
} from '../../core/shared/json.js';
import { EVENT_HANDLERS } from './event-handlers.js';
import { EventMapper, type EventMapperOptions, type ResponsesEvent } from './event-mapper.js';
import { AnsweredCalls, DECIDING_PARTS } from './answered-calls.js';
import { createCompletionMark } from './completion-mark.js';
import { createSequenceNumbers } from './sequence-numbers.js';

export interface ReadResponseOptions extends Omit<EventMapperOptions, 'write'> {
  readonly read: ReadBytes;
  /** Removes the credentials of the request from raw events. */
  readonly redactKnown: (text: string) => string;
  /** The types of the events of which a `raw` part is added in any case. @default none */
  readonly decodedEvents?: ReadonlyMap<string, unknown> | undefined;
  /** True if the server adds the messages to a conversation when the response is complete. @default false */
  readonly isConversation?: boolean | undefined;
  /** Adds a `raw` part for every event. */
  readonly includeRawChunks?: boolean | undefined;
  /**
   * Adds the numbers of events to the parts, and leaves out the parts of the events up to `after`.
   * @default parts have no numbers
   */
  readonly sequenceNumbers?: { readonly after?: number | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Closes the connection. Called at the end of the response, also after an abort. */
  readonly close: () => void;
}

/** A response as stream parts, in batches as its body arrives. */
export interface ResponseReader {
  /** Returns the next parts, at least one, or undefined after the `finish` part. Rejects only on abort. */
  next(): Promise<Part[] | undefined>;
  /** Returns the terminal response object without the credentials of the request. */
  body(): unknown;
}

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
  let batch: Part[] = [];
  // OpenAI, which its headers show, runs no functions. Calls of other servers are held back until it is certain.
  const isOpenAI = errorContext.responseHeaders?.['openai-version'] !== undefined;
  const answered = isOpenAI ? undefined : new AnsweredCalls(part => void batch.push(part));
  const write = (part: Part): void => {
    if (answered?.isHolding || (answered !== undefined && DECIDING_PARTS.has(part.type)))
      answered.write(part);
    else batch.push(part);
  };
  const mark = options.isConversation === true ? createCompletionMark(write) : undefined;
  const writePart = mark?.write ?? write;
  const numbers = options.sequenceNumbers && createSequenceNumbers(writePart, options.sequenceNumbers);
  const mapper = new EventMapper({
    ...options,
    write: numbers?.write ?? writePart,
    onCompleted: mark?.complete,
    onCallsRun: () => answered?.settle(),
  });
  const decoder = createUtf8Decoder();
  let format: BodyFormat | undefined;
  /** The rest of a large chunk. */
  let rest: Uint8Array | undefined;
  let isOver = false;
  /** The response that has ended last, and the time for which the stream is still read after it, in milliseconds. */
  let ended: PlainObject | undefined;
  let remaining = GRACE_PERIOD;
  let sawDoneMarker = false;
  /** Characters of text and tool arguments, and of other events, which stay in memory until the end of the response. */
  let streamedLength = 0;
  let otherLength = 0;
  let lastType: string | undefined;
  let handle: ReturnType<typeof EVENT_HANDLERS.get>;
  let isRaw = false;

  const parser = createSseParser(dispatch => {
    const event = toResponsesEvent(dispatch);
    if (event === undefined) return mapper.drop(dispatch.data);
    const { type, fields } = event;
    numbers?.begin(fields);
    // Most events have the type of the one before.
    if (type !== lastType) {
      lastType = type;
      handle = EVENT_HANDLERS.get(type);
      isRaw = type !== DONE_MARKER && (includeRawChunks || options.decodedEvents?.has(type) === true);
    }
    if (isRaw) {
      // An event is unchanged except for credentials that it repeats.
      const isClean = redactKnown(dispatch.data) === dispatch.data;
      batch.push({ type: 'raw', rawValue: isClean ? fields : redactJson(fields, redactKnown) });
    }
    if (type === DONE_MARKER) sawDoneMarker = true;
    if (typeof fields.delta === 'string') streamedLength += fields.delta.length + CHUNK_OVERHEAD;
    else otherLength += dispatch.data.length + CHUNK_OVERHEAD;
    if (streamedLength > RESPONSE_LIMITS.streamedLength)
      throw new ResponseLimitError('streamedLength', 'characters of text and tool arguments');
    if (otherLength > RESPONSE_LIMITS.otherLength)
      throw new ResponseLimitError('otherLength', 'characters of events');
    if (mapper.admit(event)) handle?.(fields, mapper);
  });

  return {
    async next() {
      batch = [];
      while (!isOver && batch.length === 0) {
        let bytes: Uint8Array | undefined;
        try {
          signal?.throwIfAborted();
          bytes = rest ?? (await (mapper.state === 'terminal' ? readAfterEnd() : read()));
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

  /** The limit is one for all chunks: servers send comments and pings as long as a connection is open. */
  async function readAfterEnd(): Promise<Uint8Array | undefined> {
    if (mapper.response !== ended) [ended, remaining] = [mapper.response, GRACE_PERIOD];
    if (remaining <= 0) return undefined;
    const start = performance.now();
    const bytes = await read({ within: remaining });
    // Without the time that the host takes to read.
    remaining -= performance.now() - start;
    return bytes;
  }

  function processChunk(bytes: Uint8Array | undefined): void {
    try {
      const text = decoder.decode(bytes);
      const beginning = format === undefined ? text.trimStart() : text;
      if (beginning !== '') {
        format ??= toBodyFormat(beginning);
        format.feed(text);
      }
      if (bytes === undefined) format?.end();
    } catch (error) {
      fail(error);
      return finish();
    }
    const isOfNoUse = mapper.state === 'failed' || (sawDoneMarker && mapper.state !== 'open');
    if (bytes === undefined || isOfNoUse) finish();
  }

  function stop(error: unknown): void {
    if (signal?.aborted) {
      close();
      throw error;
    }
    // After its terminal event a response is complete, even if the connection breaks.
    if (mapper.state !== 'terminal') fail(error);
    finish();
  }

  function finish(): void {
    try {
      mapper.end();
    } catch (error) {
      // Closing the last items has failed: the error is written and the items are closed as broken.
      fail(error);
      mapper.end();
    }
    isOver = true;
    close();
  }

  /** Reports an exception as a failure of the stream. If it were thrown, the host's promises would stay pending. */
  function fail(error: unknown): void {
    mapper.fail(error instanceof ResponseLimitError ? toLimitError(error, errorContext) : error);
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
        return mapper.fail(toUnexpectedBodyError(INVALID_JSON, body, errorContext));
      }
      const event = isPlainObject(fields) ? toDocumentEvent(fields) : undefined;
      if (event === undefined) return mapper.fail(toUnexpectedBodyError('other JSON', body, errorContext));
      if (mapper.admit(event)) EVENT_HANDLERS.get(event.type)?.(event.fields, mapper);
    },
  };
}

/**
 * Converts a document to an event. An error event can be the entire body: `{"type":"error","code":…}`. A response with content
 * that the server calls unfinished is not going on: no more of it follows.
 */
function toDocumentEvent(fields: PlainObject): ResponsesEvent | undefined {
  if (fields.type === 'error') return { type: 'error', fields };
  const event = toUntypedEvent(fields);
  const isUnfinished = /^response\.(?:queued|in_progress)$/.test(event?.type ?? '');
  return isUnfinished && isNonEmptyArray(fields.output)
    ? { type: 'response.incomplete', fields: { response: fields } }
    : event;
}

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

const toLimitError = (error: ResponseLimitError, context: ErrorContext): APICallError =>
  createCallError(
    'responseLimit',
    context,
    `Expected a response from ${context.url} with ${error.message}, got more. Check that \`baseURL\` points to the right server.`,
  );

const INVALID_JSON = 'an invalid JSON document';

/** Reports a body with status 200 that does not belong to the Responses API. */
function toUnexpectedBodyError(received: string, body: string, context: ErrorContext): APICallError {
  const excerpt = context.redact(body).replace(/\s+/g, ' ').trim().slice(0, 120);
  return createCallError(
    // An object that cannot be parsed was cut off.
    received === INVALID_JSON && /^\s*\{/.test(body) ? 'truncatedResponse' : 'unexpectedResponse',
    context,
    `Expected a Responses API response from ${context.url}, got ${received}: ${toErrorText(JSON.stringify(excerpt))}. ` +
      'Check that `baseURL` is the API root of a server that supports the Responses API, such as "https://api.openai.com/v1".',
  );
}

/** The end marker of chat completions, which some Responses servers send as well. */
const DONE_MARKER = '[DONE]';

/**
 * Returns the event of one SSE dispatch, or undefined for invalid or unknown JSON. The type is `data.type`, or the
 * `event:` line, or is inferred from the shape of the object.
 *
 * @throws ResponseLimitError for an event that is nested too deeply.
 * @internal
 */
export function toResponsesEvent(sseEvent: SseEvent): ResponsesEvent | undefined {
  if (sseEvent.data[0] !== '{' && sseEvent.data.trim() === DONE_MARKER)
    return { type: DONE_MARKER, fields: {} };
  if (isNestedDeeper(sseEvent.data, RESPONSE_LIMITS.nesting))
    throw new ResponseLimitError('nesting', 'levels of nesting');
  const fields = tryParseJson(sseEvent.data);
  if (!isPlainObject(fields)) return undefined;
  const { type } = fields;
  if (typeof type !== 'string') return toUntypedEvent(fields, sseEvent.event);
  // Also an error without an event around it. Each delta comes here, so that the ending is compared first.
  const isError = type.endsWith('error') && /^(?:response\.error|\w+_error)$/.test(type);
  return { type: isError ? 'error' : type, fields };
}

/**
 * Converts an object without a type: a complete response object (a response that was not streamed, or a `data:` line of the
 * agentic-api gateway), a plain error or a chat completion.
 */
function toUntypedEvent(fields: PlainObject, event?: string): ResponsesEvent | undefined {
  if (event !== undefined && event !== 'message' && event !== '') return { type: event, fields };
  if (fields.object === 'response' || Array.isArray(fields.output)) {
    return { type: `response.${String(fields.status ?? 'completed')}`, fields: { response: fields } };
  }
  if (isChatCompletion(fields)) return { type: 'chat.completion', fields };
  return isErrorObject(fields) ? { type: 'error', fields } : undefined;
}

/** Returns true for an error without an event around it. A text alone may be anything. */
function isErrorObject(fields: PlainObject): boolean {
  const isSet = (name: string): boolean => fields[name] !== undefined && fields[name] !== null;
  if (fields.object === 'error' || ['error', 'errors', 'detail'].some(isSet)) return true;
  return typeof fields.message === 'string' && ['code', 'error_code', 'type', 'status'].some(isSet);
}

const isChatCompletion = (fields: PlainObject): boolean =>
  Array.isArray(fields.choices) ||
  (typeof fields.object === 'string' && fields.object.startsWith('chat.completion'));
