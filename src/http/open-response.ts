import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { linkSignal, toTimerDelay, untilAborted } from '../shared/abort.js';
import { isNonEmptyArray, isPlainObject } from '../shared/json.js';
import { once } from '../shared/settings.js';
import { type ErrorContext, toErrorText, toHttpError } from './api-error.js';
import { missingKeyError } from './key-ring.js';
import {
  createRedactor,
  findSecrets,
  findUrlSecrets,
  redactHeaderValues,
  redactRequestBody,
  withoutQuery,
} from './redaction.js';
import { fetchWithinOrigin } from './redirects.js';
import { mergeHeaders, type RequestHeaders, validateHeaders } from './request-headers.js';
import { RETRYABLE } from './retry.js';

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
  /** Serializes the `input` of the body, for example incrementally. @default JSON.stringify */
  readonly toInputJson?: (items: readonly unknown[]) => string;
  readonly fetch: FetchFunction;
  /** @default HTTP */
  readonly transport?: Transport | undefined;
  readonly signal?: AbortSignal;
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
  const sentHeaders = mergeHeaders([toContentType(options), ...options.headers]);
  const keys = findSecrets(Object.entries(sentHeaders));
  if (options.needsKey && keys.length === 0) throw missingKeyError();
  // Secrets are found before the request is sent, because the host can change the objects that contain them.
  const { body, secrets } = redactRequestBody(options.body);
  // Created when the response or an error arrives, so that the request does not wait for it.
  const redactor = once(() => createRedactor([...keys, ...findUrlSecrets(options.url), ...secrets]));
  const redact = (text: string): string => redactor().redact(text);
  const context: ErrorContext = { url, requestBody: body, redact };
  // `fetch` would report an invalid header as a network failure, which hosts retry.
  validateHeaders(sentHeaders, context);
  const toJson = (body: unknown) => toRequestJson(body, { context, toInputJson: options.toInputJson });
  const request = linkSignal(outer);
  const connectLimit = createTimeLimit(request.abort, { isRetryable: RETRYABLE.connectTimeout });
  const idleLimit = createTimeLimit(request.abort, { isRetryable: RETRYABLE.idleTimeout });
  const totalLimit = createTimeLimit(request.abort, { isRetryable: RETRYABLE.totalTimeout });

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
      read: createReader(response, errorContext),
      headers,
      errorContext,
      redactKnown: redactor().redactKnown,
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
    request.abort(new DOMException('The response was closed.', 'AbortError'));
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

  function createReader(response: Response, errorContext: ErrorContext): ReadBytes {
    const reader = response.body?.getReader();
    request.signal.addEventListener('abort', () => reader?.cancel().catch(() => {}), { once: true });
    const toBytes = (chunk: ReadableStreamReadResult<Uint8Array> | undefined): Uint8Array | undefined => {
      idleLimit.stop();
      // A custom `fetch` may ignore the signal.
      if (request.signal.aborted) fail(request.signal.reason);
      return chunk?.value;
    };
    const fail = (error: unknown): never => {
      idleLimit.stop();
      throw toCallError(error, errorContext);
    };
    // Without `async`, because a long response is read in thousands of chunks.
    return limit => {
      if (limit === undefined) {
        idleLimit.start(timeouts.idle, ms => `nothing for ${ms} ms (timeouts.idle)`, errorContext);
      } else {
        idleLimit.start(
          limit.within,
          ms => `nothing for ${ms} ms after the end of the response`,
          errorContext,
        );
      }
      return reader === undefined ? Promise.resolve(undefined) : reader.read().then(toBytes, fail);
    };
  }

  /** Converts the failure of a request or a body: the caller's abort, a timeout or the network. */
  function toCallError(error: unknown, { responseHeaders }: ErrorContext): unknown {
    if (outer?.aborted) return outer.reason;
    if (APICallError.isInstance(error)) return error;
    if (APICallError.isInstance(request.signal.reason)) return request.signal.reason;
    // An error of `fetch` contains the header that it rejects.
    const cause = toErrorText(redact(describeCause(error))).replace(/\.$/, '');
    return new APICallError({
      message:
        responseHeaders === undefined
          ? `Could not reach ${url}: ${cause}. Check \`baseURL\` and the network.`
          : `The connection to ${url} broke before the response was complete: ${cause}.`,
      url,
      requestBodyValues: body,
      responseHeaders,
      isRetryable: RETRYABLE.connectionFailure,
      ...(redactor().isClean(error) && { cause: error }),
    });
  }
}

/** `fetch` sets the type of a form, with its boundary. */
const toContentType = ({ body, form }: OpenResponseOptions): RequestHeaders =>
  body === undefined || form !== undefined ? {} : { 'content-type': 'application/json' };

/** Creates a timer that aborts the request with an error. Only one limit runs at a time. */
function createTimeLimit(abort: (reason: unknown) => void, { isRetryable }: { isRetryable: boolean }) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    start(limit: number | undefined, describe: (limit: number) => string, context: ErrorContext): void {
      if (limit === undefined) return;
      timer = setTimeout(() => {
        abort(
          new APICallError({
            message: `Expected a response from ${context.url}, but it sent ${describe(limit)}.`,
            url: context.url,
            requestBodyValues: context.requestBody,
            responseHeaders: context.responseHeaders,
            isRetryable,
          }),
        );
      }, toTimerDelay(limit));
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}

interface RequestJsonOptions extends Pick<OpenResponseOptions, 'toInputJson'> {
  readonly context: ErrorContext;
}

/**
 * Serializes a request body.
 *
 * @throws APICallError, not retryable, for a body that JSON cannot represent: a BigInt, a circular object.
 */
function toRequestJson(
  body: unknown,
  { context: { url, redact }, toInputJson }: RequestJsonOptions,
): string | undefined {
  try {
    if (toInputJson === undefined || !isPlainObject(body) || !isNonEmptyArray(body.input))
      return JSON.stringify(body);
    const { input, ...others } = body;
    const fields = JSON.stringify(others).slice(1, -1);
    return `{${fields}${fields === '' ? '' : ','}"input":${toInputJson(body.input)}}`;
  } catch (error) {
    const reason = toErrorText(redact(error instanceof Error ? error.message : String(error)));
    throw new APICallError({
      message: `Expected a request body that JSON can represent, got one that it cannot: ${reason}. Check the provider options and the messages of the call.`,
      url,
      // A logger would fail to serialize the body in the same way.
      requestBodyValues: undefined,
      isRetryable: RETRYABLE.invalidRequest,
    });
  }
}

/** Describes an error by its cause: the message `fetch failed` contains no information. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return [code, cause.message].filter(Boolean).join(' ') || cause.name;
}
