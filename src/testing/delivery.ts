import type { StatusAnswer } from './answers.js';
import { type ApiError, toErrorBody } from './api-error.js';
import type { JsonObject } from './json-object.js';
import type { StreamEvent } from './wire.js';

/** What is sent for one request, step by step: data, so that every fault can be told in one place. */
export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly DeliveryStep[];
}

export type DeliveryStep =
  | { readonly write: string }
  /** Milliseconds. */
  | { readonly wait: number }
  /** Ends the body properly. */
  | 'end'
  /** Destroys the socket. */
  | 'destroy'
  /** Keeps the connection open and says nothing more. */
  | 'silence'
  /** The same without the headers. */
  | 'nothing';

export const toJsonDelivery = (body: JsonObject, { status = 200 }: { status?: number } = {}): Delivery => ({
  status,
  headers: { 'content-type': 'application/json' },
  steps: [{ write: JSON.stringify(body, null, 2) }, 'end'],
});

export const toErrorDelivery = (error: ApiError): Delivery =>
  toJsonDelivery(toErrorBody(error), { status: error.status });

export const toStreamDelivery = (steps: readonly DeliveryStep[]): Delivery => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  steps,
});

/** The delivery of a {@link StatusAnswer}; without a body it is the API's own error. */
export function toStatusDelivery({ status, retryAfter, headers, body }: StatusAnswer): Delivery {
  const content = body ?? toErrorBody(toKnownError(status));
  const delivery: Delivery =
    typeof content === 'string'
      ? { status, headers: {}, steps: [{ write: content }, 'end'] }
      : toJsonDelivery(content, { status });
  const retryHeader: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...delivery, headers: { ...delivery.headers, ...retryHeader, ...headers } };
}

/** An event as the API frames it: an `event:` line, a `data:` line, an empty line. */
export const formatEvent = (event: StreamEvent): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

// What OpenAI answers with these statuses, https://platform.openai.com/docs/guides/error-codes.
const knownErrors: Readonly<Record<number, Omit<ApiError, 'status'>>> = {
  401: {
    message:
      'Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_api_key',
  },
  403: {
    message: 'Country, region, or territory not supported',
    type: 'request_forbidden',
    param: null,
    code: 'unsupported_country_region_territory',
  },
  429: {
    message: 'Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.',
    type: 'requests',
    param: null,
    code: 'rate_limit_exceeded',
  },
  503: {
    message: 'The engine is currently overloaded, please try again later.',
    type: 'service_unavailable_error',
    param: null,
    code: 'server_is_overloaded',
  },
};

/** What OpenAI says with a status. */
export const toKnownError = (status: number): Omit<ApiError, 'status'> =>
  knownErrors[status] ?? {
    message:
      status >= 500
        ? 'The server had an error while processing your request. Sorry about that!'
        : `The request was refused with status ${status}.`,
    type: status >= 500 ? 'server_error' : 'invalid_request_error',
    param: null,
    code: null,
  };
