import type { FetchFunction } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../call.js';
import { NO_ROUND_TELEMETRY } from '../telemetry.js';
import type { Warn } from './compression.js';
import { createRedactor, findSecrets, redactHeaders, redactUrl } from '../redaction/redaction.js';
import { messageOf } from '../shared/errors.js';
import { inform } from '../shared/inform.js';

/** One entry of the request log. Keys and other secrets are replaced by `[redacted]`. */
export interface RequestLogEntry {
  /** `request` when the request is sent, `response` when its status arrives, `error` when the request fails. */
  readonly phase: 'request' | 'response' | 'error';
  /** Identical in all entries of one request. A retry is a new request. */
  readonly requestId: number;
  /** The HTTP method, or `response.create` for a request over a WebSocket. */
  readonly method: string;
  /** The address of the request, without secrets. */
  readonly url: string;
  /** The request headers, or the response headers in the phase `response`. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The HTTP status, in the phase `response`. */
  readonly status?: number;
  /** Milliseconds since the request was sent, in the phases `response` and `error`. A stream may continue after it. */
  readonly duration?: number;
  /** The error message, in the phase `error`. */
  readonly error?: string;
  /** `providerOptions.kelivo.turnId` of the call, or the id that the tool loop generates for the turn. */
  readonly turnId?: string;
  /** The round of the turn, from 1, in requests of the tool loop. */
  readonly round?: number;
  /** `providerOptions.kelivo.context` of the call, by reference. */
  readonly context?: unknown;
}

/** Called for every HTTP request. Errors it throws and promises it rejects are ignored. */
export type RequestLogger = (entry: RequestLogEntry) => unknown;

/** The parts of a call that its requests are reported with. A request without a call has none of them. */
export type LoggedCall = Partial<Pick<CoreCall, 'own' | 'turn' | 'roundTelemetry'>>;

/** Returns the `fetch` for the requests of one call, by the call and the receiver of its warnings. */
export type FetchForCall = (call?: LoggedCall, warn?: Warn) => FetchFunction;

interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  readonly call: LoggedCall | undefined;
}

/** Sends a request and reports it to a logger. */
export type RequestLog = (request: LoggedRequest, send: () => Promise<Response>) => Promise<Response>;

const UNLOGGED: RequestLog = (_request, send) => send();

/** Creates the log of a provider, which only sends the requests if there is no logger. */
export function createRequestLog(logger: RequestLogger | undefined): RequestLog {
  if (logger === undefined) return UNLOGGED;
  let count = 0;

  return async (request, send) => {
    const { url, secrets } = redactUrl(request.url);
    const sent = [...new Headers(request.headers)];
    const { redact } = createRedactor([...findSecrets(sent), ...secrets]);
    const requestId = ++count;
    const startedAt = performance.now();
    const common = { requestId, method: request.method, url: redact(url), ...toCallFields(request.call) };
    const report = (entry: Omit<RequestLogEntry, keyof typeof common>): void =>
      void inform(logger, { ...common, ...entry });

    report({ phase: 'request', headers: redactHeaders(sent, redact) });
    try {
      const response = await send();
      report({
        phase: 'response',
        status: response.status,
        duration: performance.now() - startedAt,
        headers: redactHeaders(response.headers, redact),
      });
      return response;
    } catch (error) {
      report({
        phase: 'error',
        duration: performance.now() - startedAt,
        headers: redactHeaders(sent, redact),
        error: redact(messageOf(error)),
      });
      throw error;
    }
  };
}

/**
 * Returns for each call a `fetch` that reports its requests to the logger, together with the turn and the context of the
 * call; the same `fetch` if there is no logger.
 */
export function withRequestLog(
  fetch: FetchFunction,
  logger: RequestLogger | undefined,
  log: RequestLog = createRequestLog(logger),
): FetchForCall {
  if (log === UNLOGGED) return () => fetch;
  return call => async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const method = init?.method ?? request?.method ?? 'GET';
    const headers = init?.headers ?? request?.headers;
    const url = request?.url ?? String(input);
    return log({ method, url, headers, call }, () => fetch(input, init));
  };
}

/** Also reports each request to the observer of its round. */
export const withHttpTelemetry =
  (log: RequestLog): RequestLog =>
  async (request, send) => {
    const round = request.call?.roundTelemetry ?? NO_ROUND_TELEMETRY;
    if (round === NO_ROUND_TELEMETRY) return log(request, send);
    const end = round.startHttpRequest(findSecrets([...new Headers(request.headers)]));
    const response = await log(request, send).catch((error: unknown) => {
      end(undefined);
      throw error;
    });
    end(response.status);
    return response;
  };

/** Returns the fields that identify the call. None of them is sent to a server. */
function toCallFields({ own = {}, turn }: LoggedCall = {}): Pick<
  RequestLogEntry,
  'turnId' | 'round' | 'context'
> {
  const { context } = own;
  const turnId = turn?.id ?? own.turnId;
  return {
    ...(typeof turnId === 'string' && { turnId }),
    ...(turn !== undefined && { round: turn.round }),
    ...(context !== undefined && context !== null && { context }),
  };
}
