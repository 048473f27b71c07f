import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { messageOf } from '../shared/errors.js';
import { linkSignal, toTimerDelay, untilAborted } from '../shared/abort.js';
import { isNonEmptyArray, isPlainObject, toWellFormedJson } from '../shared/json.js';
import { createCallError, type ErrorContext, toErrorText, toHttpError } from './api-error.js';
import { missingKeyError } from './key-ring.js';
import {
  createRedactor,
  findSecrets,
  findUrlSecrets,
  redactHeaderValues,
  type Redactor,
  withoutQuery,
} from '../redaction/redaction.js';
import { redactRequestBody } from '../redaction/request-body.js';
import {
  explainConnection,
  fetchWithinOrigin,
  mergeHeaders,
  type RequestHeaders,
  validateHeaders,
} from './request.js';

/** Timeouts of a request, in milliseconds. */
export interface ResponseTimeouts {
  /** Until the status of a streamed response. */
  readonly connect?: number;
  /** Between two chunks of a stream. Keep-alive comments count as chunks. */
  readonly idle?: number;
  /** Until the end of the response. */
  readonly total?: number;
}

/** Reads the next bytes of a body, or undefined at its end. Rejects when the connection breaks or the call is aborted. */
export type ReadBytes = (limit?: { within: number }) => Promise<Uint8Array | undefined>;

/** A request as a transport receives it. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /**
   * Serializes a body.
   *
   * @throws APICallError, not retryable, for a body that JSON cannot represent.
   */
  readonly toJson: (body: unknown) => string | undefined;
  readonly context: ErrorContext;
  /** Ends the request, and after the response has begun, its body. */
  readonly signal: AbortSignal;
  /** Sends the complete request over HTTP. */
  readonly sendOverHttp: () => Promise<Response>;
}

/**
 * Sends a request and returns its response when the server has begun to respond. An error of the server has its HTTP
 * status. A transport other than HTTP returns the events of the response as `text/event-stream`.
 */
export type Transport = (request: TransportRequest) => Promise<Response>;

export interface OpenResponseOptions {
  readonly url: string;
  /** Sets of headers. Later sets override earlier ones. */
  readonly headers: readonly (RequestHeaders | undefined)[];
  /** Requires a key in the headers. @default false */
  readonly needsKey?: boolean;
  /** @default 'POST' */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Sent as JSON and contained in errors. @default none */
  readonly body?: unknown;
  /** Sent instead of the body, which then describes it in errors. */
  readonly form?: FormData;
  /** Serializes the `input` of the body, for example incrementally, as well-formed JSON. @default JSON.stringify */
  readonly toInputJson?: (items: readonly unknown[]) => string;
  readonly fetch: FetchFunction;
  /** @default HTTP */
  readonly transport?: Transport | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeouts: ResponseTimeouts;
}

export interface OpenedResponse {
  readonly read: ReadBytes;
  readonly headers: Record<string, string>;
  readonly errorContext: ErrorContext;
  /** Removes the credentials of the request from data of the response. */
  readonly redactKnown: (text: string) => string;
  /** Ends the request in any state. Must be called, even after the last byte. */
  close(): void;
}

/**
 * Ends a request whose response has been read or is not needed. One error for all, because the stack of an error keeps the
 * functions that were running, and with them the whole response, as long as its signal lives.
 */
export const RESPONSE_CLOSED = new DOMException('The response was closed.', 'AbortError');

/** Timeout for the body of an error if none is set, in milliseconds. The status alone suffices for an error. */
const ERROR_BODY_TIMEOUT = 10_000;

/**
 * Sends a request and returns when the response has a 2xx status. Every failure is an `APICallError` with
 * `isRetryable` set; an abort rejects with the reason of the signal.
 */
export async function openResponse(options: OpenResponseOptions): Promise<OpenedResponse> {
  const { fetch, transport = sendOverHttp, signal: outer, timeouts } = options;
  outer?.throwIfAborted();
  const url = withoutQuery(options.url);
  // `fetch` sets the type of a form, with its boundary.
  const isJson = options.body !== undefined && options.form === undefined;
  const contentType = isJson ? { 'content-type': 'application/json' } : {};
  const sentHeaders = mergeHeaders([contentType, ...options.headers]);
  const keys = requireKey(sentHeaders, options);
  // Secrets are found before the request is sent, because the host can change the objects that contain them.
  const { body, secrets } = redactRequestBody(options.body);
  // Created when the response or an error arrives, so that the request does not wait for it.
  let redactor: Redactor | undefined;
  const toRedactor = (): Redactor =>
    (redactor ??= createRedactor([...keys, ...findUrlSecrets(options.url), ...secrets]));
  const redact = (text: string): string => toRedactor().redact(text);
  const context: ErrorContext = { url, requestBody: body, redact };
  // `fetch` would report an invalid header as a network failure, which hosts retry.
  validateHeaders(sentHeaders, context);
  const toJson = (body: unknown) => toRequestJson(body, context, options.toInputJson);
  const request = linkSignal(outer);
  const connectLimit = createTimeLimit(request.abort, 'connectTimeout');
  const idleLimit = createTimeLimit(request.abort, 'idleTimeout');
  const totalLimit = createTimeLimit(request.abort, 'totalTimeout');

  try {
    totalLimit.start(
      timeouts.total,
      limit => `no complete response within ${limit} ms (timeouts.total)`,
      context,
    );
    connectLimit.start(
      timeouts.connect,
      limit => `no response within ${limit} ms (timeouts.connect)`,
      context,
    );
    const sending = transport({
      url: options.url,
      headers: sentHeaders,
      body: options.body,
      toJson,
      context,
      signal: request.signal,
      sendOverHttp,
    });
    const response = await untilAborted(sending, request.signal);
    connectLimit.stop();
    const headers = redactHeaderValues(response.headers, redact);
    const errorContext: ErrorContext = { ...context, responseHeaders: headers };
    if (!response.ok) {
      const limit = timeouts.idle ?? ERROR_BODY_TIMEOUT;
      idleLimit.start(limit, ms => `no complete error within ${ms} ms`, errorContext);
      throw await toHttpError(response, {
        context: errorContext,
        hasKey: keys.length > 0,
        signal: request.signal,
      });
    }
    return {
      read: createReader(response, {
        signal: request.signal,
        limit: idleLimit,
        idle: timeouts.idle,
        context: errorContext,
        toError: error => toCallError(error, errorContext),
      }),
      headers,
      errorContext,
      redactKnown: toRedactor().redactKnown,
      close,
    };
  } catch (error) {
    close();
    throw toCallError(error, context);
  }

  function close(): void {
    connectLimit.stop();
    idleLimit.stop();
    totalLimit.stop();
    request.release();
    request.abort(RESPONSE_CLOSED);
  }

  async function sendOverHttp(): Promise<Response> {
    return fetchWithinOrigin(options.url, {
      fetch,
      context,
      method: options.method ?? 'POST',
      headers: sentHeaders,
      body: options.form ?? toJson(options.body),
      signal: request.signal,
    });
  }

  /** Converts the failure of a request or a body: the caller's abort, a timeout or the network. */
  function toCallError(error: unknown, errorContext: ErrorContext): unknown {
    if (outer?.aborted) return outer.reason;
    if (APICallError.isInstance(error)) return error;
    if (APICallError.isInstance(request.signal.reason)) return request.signal.reason;
    // An error of `fetch` contains the header that it rejects.
    const { cause: text, hint, isFinal } = explainConnection(error);
    const cause = toErrorText(redact(text)).replace(/\.$/, '');
    return createCallError(
      isFinal ? 'refusedConnection' : 'connectionFailure',
      {
        ...context,
        responseHeaders: errorContext.responseHeaders,
        cause: toRedactor().isClean(error) ? error : undefined,
      },
      errorContext.responseHeaders === undefined
        ? `Could not reach ${url}: ${cause}. ${hint}`
        : `The connection to ${url} broke before the response was complete: ${cause}.`,
    );
  }
}

/**
 * Rejects headers with which no request can be sent, before anything is started for it.
 *
 * @throws LoadAPIKeyError without a key that the server requires, and APICallError for a header that cannot be sent.
 */
export function checkHeaders(
  sets: OpenResponseOptions['headers'],
  options: Pick<OpenResponseOptions, 'url' | 'needsKey'>,
): void {
  const headers = mergeHeaders(sets);
  const { redact } = createRedactor([...requireKey(headers, options), ...findUrlSecrets(options.url)]);
  validateHeaders(headers, { url: withoutQuery(options.url), requestBody: undefined, redact });
}

/** Returns the keys in headers. */
function requireKey(
  headers: Readonly<Record<string, string>>,
  options: Pick<OpenResponseOptions, 'needsKey'>,
): string[] {
  const keys = findSecrets(Object.entries(headers));
  if (options.needsKey && keys.length === 0) throw missingKeyError();
  return keys;
}

interface ReaderOptions {
  readonly signal: AbortSignal;
  /** The limit between two chunks, and its time. */
  readonly limit: TimeLimit;
  readonly idle: number | undefined;
  readonly context: ErrorContext;
  readonly toError: (error: unknown) => unknown;
}

function createReader(
  response: Response,
  { signal, limit, idle, context, toError }: ReaderOptions,
): ReadBytes {
  const reader = response.body?.getReader();
  signal.addEventListener('abort', () => reader?.cancel().catch(() => {}), { once: true });
  const toBytes = (chunk: ReadableStreamReadResult<Uint8Array>): Uint8Array | undefined => {
    limit.stop();
    // A custom `fetch` may ignore the signal.
    if (signal.aborted) fail(signal.reason);
    return chunk.value;
  };
  const fail = (error: unknown): never => {
    limit.stop();
    throw toError(error);
  };
  // Without `async`, because a long response is read in thousands of chunks.
  return end => {
    if (end === undefined) limit.start(idle, ms => `nothing for ${ms} ms (timeouts.idle)`, context);
    else limit.start(end.within, ms => `nothing for ${ms} ms after the end of the response`, context);
    return reader === undefined ? Promise.resolve(undefined) : reader.read().then(toBytes, fail);
  };
}

interface TimeLimit {
  start(limit: number | undefined, describe: (limit: number) => string, context: ErrorContext): void;
  stop(): void;
}

/** Creates a timer that aborts the request with an error. Only one limit runs at a time. */
function createTimeLimit(
  abort: (reason: unknown) => void,
  failure: 'connectTimeout' | 'idleTimeout' | 'totalTimeout',
): TimeLimit {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    start(limit, describe, context) {
      if (limit === undefined) return;
      timer = setTimeout(() => {
        const message = `Expected a response from ${context.url}, but it sent ${describe(limit)}.`;
        abort(createCallError(failure, context, message));
      }, toTimerDelay(limit));
    },
    stop() {
      clearTimeout(timer);
    },
  };
}

/**
 * Serializes a request body.
 *
 * @throws APICallError, not retryable, for a body that JSON cannot represent: a BigInt, a circular object.
 */
function toRequestJson(
  body: unknown,
  context: ErrorContext,
  toInputJson: OpenResponseOptions['toInputJson'],
): string | undefined {
  // A request for a stored response or a list has no body.
  if (body === undefined) return undefined;
  try {
    if (toInputJson === undefined || !isPlainObject(body) || !isNonEmptyArray(body.input))
      return toWellFormedJson(JSON.stringify(body));
    const { input, ...others } = body;
    const fields = toWellFormedJson(JSON.stringify(others).slice(1, -1));
    return `{${fields}${fields === '' ? '' : ','}"input":${toInputJson(body.input)}}`;
  } catch (error) {
    const reason = toErrorText(context.redact(messageOf(error)));
    throw createCallError(
      'invalidRequest',
      // Without the body: a logger would fail to serialize it in the same way.
      { url: context.url },
      `Expected a request body that JSON can represent, got one that it cannot: ${reason}. Check the provider options and the messages of the call.`,
    );
  }
}
