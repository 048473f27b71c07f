import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { linkSignal, toTimerDelay, untilAborted } from '../shared/abort.js';
import type { ReadBytes } from '../responses/stream/read-response.js';
import { toErrorText } from './to-error-text.js';
import type { ErrorContext } from './api-error.js';
import { createRedactor } from './redaction.js';
import { fetchWithinOrigin, toCleanHeaders } from './redirects.js';
import { toHttpError } from './http-error.js';
import { missingKeyError } from './key-ring.js';
import { secretsIn, secretsInUrl } from './secrets-in.js';
import { toRequestJson } from './to-request-json.js';
import { toShownBody } from './to-shown-body.js';
import { validateHeaders } from './request-headers.js';

/** How long to wait for the server, in milliseconds. */
export interface ResponseTimeouts {
  /** Until the status of an answer that is streamed. */
  readonly connect?: number;
  /** Between two pieces of a stream. Keep-alive comments count as life. */
  readonly idle?: number;
  /** For the whole answer. */
  readonly total?: number;
}

export interface OpenResponseOptions {
  readonly url: string;
  /** Headers, the later ones before the earlier. An undefined value leaves a header out. */
  readonly headers: readonly (Readonly<Record<string, string | undefined>> | undefined)[];
  /** Whether a request without any key is a mistake. @default false */
  readonly needsKey?: boolean;
  readonly body: unknown;
  /** Writes the `input` of the body, where more is known of it than of the rest. @default `JSON.stringify` */
  readonly toInputJson?: (items: readonly unknown[]) => string;
  readonly fetch: FetchFunction;
  readonly signal?: AbortSignal;
  readonly timeouts: ResponseTimeouts;
}

export interface OpenedResponse {
  readonly read: ReadBytes;
  readonly headers: Record<string, string>;
  readonly errorContext: ErrorContext;
  /** Ends the request, wherever it is. Must be called, also after the last byte. */
  close(): void;
}

/** How long the body of an error is waited for where no limit is set, in milliseconds: the status says most of it. */
const ERROR_BODY_TIME = 10_000;

/**
 * Posts a request and returns when its status is known and good. Every failure is an `APICallError` that says
 * whether repeating may help; an abort rejects with the signal's reason.
 */
export async function openResponse(options: OpenResponseOptions): Promise<OpenedResponse> {
  const { fetch, signal: outer, timeouts } = options;
  outer?.throwIfAborted();
  const url = withoutQuery(options.url);
  const sentHeaders = toHeaders([{ 'content-type': 'application/json' }, ...options.headers]);
  // Whatever the server says, they must not appear in an error.
  const keys = secretsIn(Object.entries(sentHeaders));
  if (options.needsKey && keys.length === 0) throw missingKeyError();
  const { body, secrets } = toShownBody(options.body);
  const { redact, isClean } = createRedactor([...keys, ...secretsInUrl(options.url), ...secrets]);
  const context: ErrorContext = { url, requestBody: body, redact };
  // What `fetch` would refuse looks like a failure of the network, which a host repeats.
  validateHeaders(sentHeaders, context);
  const json = toRequestJson(options.body, { context, toInputJson: options.toInputJson });
  const request = linkSignal(outer);
  const timeLimit = createTimeLimit(request.abort, { isRetryable: true });
  const totalLimit = createTimeLimit(request.abort, { isRetryable: false });

  try {
    totalLimit.start(timeouts.total, limit => `no whole answer within ${limit} ms (timeouts.total)`, context);
    timeLimit.start(timeouts.connect, limit => `no answer within ${limit} ms (timeouts.connect)`, context);
    const answering = fetchWithinOrigin(options.url, {
      fetch,
      context,
      method: 'POST',
      headers: sentHeaders,
      body: json,
      signal: request.signal,
    });
    const response = await untilAborted(answering, request.signal);
    timeLimit.stop();
    const headers = toCleanHeaders(response.headers, redact);
    const errorContext: ErrorContext = { ...context, responseHeaders: headers };
    if (!response.ok) {
      const limit = timeouts.idle ?? ERROR_BODY_TIME;
      timeLimit.start(limit, ms => `no whole error within ${ms} ms`, errorContext);
      throw await toHttpError(response, {
        context: errorContext,
        hasKey: keys.length > 0,
        signal: request.signal,
      });
    }
    return { read: createReader(response, errorContext), headers, errorContext, close };
  } catch (error) {
    close();
    throw toCallError(error, context);
  }

  function close(): void {
    timeLimit.stop();
    totalLimit.stop();
    request.release();
    request.abort(new DOMException('The response was closed.', 'AbortError'));
  }

  function createReader(response: Response, errorContext: ErrorContext): ReadBytes {
    const reader = response.body?.getReader();
    request.signal.addEventListener('abort', () => reader?.cancel().catch(() => {}), { once: true });
    return async limit => {
      try {
        if (limit === undefined) {
          timeLimit.start(timeouts.idle, ms => `nothing for ${ms} ms (timeouts.idle)`, errorContext);
        } else {
          timeLimit.start(limit.within, ms => `nothing for ${ms} ms after its end`, errorContext);
        }
        // A `fetch` of the host's own may not heed the signal.
        const piece = await reader?.read();
        request.signal.throwIfAborted();
        return piece?.value;
      } catch (error) {
        throw toCallError(error, errorContext);
      } finally {
        timeLimit.stop();
      }
    };
  }

  /** What a broken request or body means: the caller's abort, one of our limits, or the network. */
  function toCallError(error: unknown, { responseHeaders }: ErrorContext): unknown {
    if (outer?.aborted) return outer.reason;
    if (APICallError.isInstance(error)) return error;
    if (APICallError.isInstance(request.signal.reason)) return request.signal.reason;
    const told = describeCause(error);
    // An error of `fetch` repeats a header that it refuses.
    const cause = toErrorText(redact(told)).replace(/\.$/, '');
    return new APICallError({
      message:
        responseHeaders === undefined
          ? `Could not reach ${url}: ${cause}. Check \`baseURL\` and the network.`
          : `The connection to ${url} broke before the answer was complete: ${cause}.`,
      url,
      requestBodyValues: body,
      responseHeaders,
      isRetryable: true,
      ...(isClean(error) && { cause: error }),
    });
  }
}

/** One timer at a time, which ends the request with an error of its own. */
function createTimeLimit(abort: (reason: unknown) => void, { isRetryable }: { isRetryable: boolean }) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    start(limit: number | undefined, describe: (limit: number) => string, context: ErrorContext): void {
      if (limit === undefined) return;
      timer = setTimeout(() => {
        abort(
          new APICallError({
            message: `Expected an answer from ${context.url}, but it sent ${describe(limit)}.`,
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

/** Header names are equal whatever their case, and hosts differ in it: the last of a name counts. */
function toHeaders(sets: OpenResponseOptions['headers']): Record<string, string> {
  const byName = sets
    .flatMap(headers => Object.entries(headers ?? {}))
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    [...new Map(byName)].filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** `fetch failed` says nothing; its cause does. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return [code, cause.message].filter(Boolean).join(' ') || cause.name;
}

/** Query strings can carry keys (Google's `?key=`), and errors are logged. */
function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}
