import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { messageOf } from '../shared/errors.js';
import { type LinkedSignal, linkSignal, toTimerDelay, untilAborted } from '../shared/abort.js';
import { isNonEmptyArray, isPlainObject, type PlainObject, toWellFormedJson } from '../shared/json.js';
import {
  type CallErrorFacts,
  createCallError,
  type ErrorContext,
  toErrorText,
  toHttpError,
} from './api-error.js';
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

/** Reads the next bytes of a body, or undefined at its end. Rejects when the connection breaks or the call is aborted. */
export type ReadBytes = (limit?: { within: number }) => Promise<Uint8Array | undefined>;

/** A request as a transport receives it. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /**
   * Serializes a body. With `newItems`, they replace its input, of which the server has the rest.
   *
   * @throws APICallError, not retryable, for a body that JSON cannot represent.
   */
  readonly toJson: (body: PlainObject, newItems?: readonly unknown[]) => string | undefined;
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

/** Timeouts of a request, in milliseconds. */
export interface ResponseTimeouts {
  /** Until the status of a streamed response. */
  readonly connect?: number;
  /** Between two chunks of a stream. Keep-alive comments count as chunks. */
  readonly idle?: number;
  /** Until the end of the response. */
  readonly total?: number;
}

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
  options.signal?.throwIfAborted();
  return new HttpRequest(options).open();
}

/** The timer of a limit. Undefined without a limit. */
type LimitTimer = ReturnType<typeof setTimeout> | undefined;

/** Ends a request with an error after a time, in milliseconds, unless its timer is cleared. */
export const startLimit = (
  request: LinkedSignal,
  limit: number | undefined,
  toError: (limit: number) => APICallError,
): LimitTimer =>
  limit === undefined ? undefined : setTimeout(() => request.abort(toError(limit)), toTimerDelay(limit));

/** @param sent What the server sent within the time. */
export const toTimeoutError = (
  failure: 'connectTimeout' | 'idleTimeout' | 'totalTimeout',
  request: CallErrorFacts,
  sent: string,
): APICallError =>
  createCallError(failure, request, `Expected a response from ${request.url}, but it sent ${sent}.`);

/** One request, from its headers to the end of its response. */
class HttpRequest {
  readonly #options: OpenResponseOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hasKey: boolean;
  readonly #redactor: Redactor;
  readonly #link: LinkedSignal;
  /** Contains the headers of the response as soon as its body is read. */
  #context: ErrorContext;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #totalTimer: LimitTimer;
  /** The time limit of what is awaited now: the status, the body of an error, or a chunk. */
  #timer: LimitTimer;

  constructor(options: OpenResponseOptions) {
    this.#options = options;
    // `fetch` sets the type of a form, with its boundary.
    const isJson = options.body !== undefined && options.form === undefined;
    const contentType = isJson ? { 'content-type': 'application/json' } : {};
    this.#headers = mergeHeaders([contentType, ...options.headers]);
    const keys = requireKey(this.#headers, options);
    this.#hasKey = keys.length > 0;
    // Secrets are found before the request is sent, because the host can change the objects that contain them.
    const { body, secrets } = redactRequestBody(options.body);
    this.#redactor = createRedactor([...keys, ...findUrlSecrets(options.url), ...secrets]);
    this.#context = { url: withoutQuery(options.url), requestBody: body, redact: this.#redactor.redact };
    // `fetch` would report an invalid header as a network failure, which hosts retry.
    validateHeaders(this.#headers, this.#context);
    this.#link = linkSignal(options.signal);
  }

  async open(): Promise<OpenedResponse> {
    const { timeouts } = this.#options;
    const { signal } = this.#link;
    const context = this.#context;
    try {
      this.#totalTimer = startLimit(this.#link, timeouts.total, limit =>
        toTimeoutError('totalTimeout', context, `no complete response within ${limit} ms (timeouts.total)`),
      );
      this.#timer = startLimit(this.#link, timeouts.connect, limit =>
        toTimeoutError('connectTimeout', context, `no response within ${limit} ms (timeouts.connect)`),
      );
      const response = await untilAborted(this.#send(), signal);
      clearTimeout(this.#timer);
      const headers = redactHeaderValues(response.headers, context.redact);
      const errorContext: ErrorContext = { ...context, responseHeaders: headers };
      if (!response.ok) {
        this.#timer = startLimit(this.#link, timeouts.idle ?? ERROR_BODY_TIMEOUT, limit =>
          toTimeoutError('idleTimeout', errorContext, `no complete error within ${limit} ms`),
        );
        throw await toHttpError(response, { context: errorContext, hasKey: this.#hasKey, signal });
      }
      const reader = response.body?.getReader();
      signal.addEventListener('abort', () => reader?.cancel().catch(() => {}), { once: true });
      this.#reader = reader;
      this.#context = errorContext;
      const { redactKnown } = this.#redactor;
      return { read: this.#read, headers, errorContext, redactKnown, close: this.#close };
    } catch (error) {
      this.#close();
      throw this.#toCallError(error);
    }
  }

  #send(): Promise<Response> {
    const { transport, url, body, toInputJson } = this.#options;
    if (transport === undefined) return this.#sendOverHttp();
    return transport({
      url,
      headers: this.#headers,
      body,
      toJson: (sent, newItems) =>
        newItems === undefined
          ? toRequestJson(sent, this.#context, toInputJson)
          : toRequestJson({ ...sent, input: newItems }, this.#context, undefined),
      context: this.#context,
      signal: this.#link.signal,
      sendOverHttp: () => this.#sendOverHttp(),
    });
  }

  async #sendOverHttp(): Promise<Response> {
    const { url, fetch, method = 'POST', form, body, toInputJson } = this.#options;
    return fetchWithinOrigin(url, {
      fetch,
      context: this.#context,
      method,
      headers: this.#headers,
      body: form ?? toRequestJson(body, this.#context, toInputJson),
      signal: this.#link.signal,
    });
  }

  // Without `async`, because a long response is read in thousands of chunks.
  readonly #read: ReadBytes = end => {
    if (this.#reader === undefined) return Promise.resolve(undefined);
    const place = end === undefined ? '(timeouts.idle)' : 'after the end of the response';
    this.#timer = startLimit(
      this.#link,
      end === undefined ? this.#options.timeouts.idle : end.within,
      limit => toTimeoutError('idleTimeout', this.#context, `nothing for ${limit} ms ${place}`),
    );
    return this.#reader.read().then(
      chunk => {
        clearTimeout(this.#timer);
        const { aborted, reason } = this.#link.signal;
        // A custom `fetch` may ignore the signal.
        if (aborted) throw this.#toCallError(reason);
        return chunk.value;
      },
      (error: unknown) => {
        clearTimeout(this.#timer);
        throw this.#toCallError(error);
      },
    );
  };

  readonly #close = (): void => {
    clearTimeout(this.#timer);
    clearTimeout(this.#totalTimer);
    this.#link.release();
    this.#link.abort(RESPONSE_CLOSED);
  };

  /** Converts the failure of a request or a body: the caller's abort, a timeout or the network. */
  #toCallError(error: unknown): unknown {
    const { signal: outer } = this.#options;
    if (outer?.aborted) return outer.reason;
    if (APICallError.isInstance(error)) return error;
    const { reason } = this.#link.signal;
    if (APICallError.isInstance(reason)) return reason;
    const { url, redact, responseHeaders } = this.#context;
    // An error of `fetch` contains the header that it rejects.
    const { cause: text, hint, isFinal } = explainConnection(error);
    const cause = toErrorText(redact(text)).replace(/\.$/, '');
    return createCallError(
      isFinal ? 'refusedConnection' : 'connectionFailure',
      { ...this.#context, cause: this.#redactor.isClean(error) ? error : undefined },
      responseHeaders === undefined
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
