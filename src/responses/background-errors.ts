import type { APICallError } from '@ai-sdk/provider';
import { createCallError, type CallErrorFacts } from '../core/http/api-error.js';
import { withoutQuery } from '../core/redaction/redaction.js';

/* The errors of responses in the background. */

interface BackgroundFacts {
  readonly responseId: string | undefined;
  readonly status: unknown;
}

const nameOf = (response: BackgroundFacts): string => `response "${response.responseId ?? ''}"`;

export const toTruncationError = (context: CallErrorFacts): APICallError =>
  createCallError(
    'truncatedResponse',
    context,
    `Expected a response in the background from ${context.url}, but the body ended before its id was received. The request can be retried.`,
  );

export const toCancelledError = (response: BackgroundFacts, context: CallErrorFacts): APICallError =>
  createCallError(
    'unexpectedResponse',
    context,
    `Expected the ${nameOf(response)} to be completed, but it was cancelled on the server. Send the request again.`,
  );

/** A response of this request may be requested again: nobody else reads the one that is lost. */
export const toGoneError = (response: BackgroundFacts, cause: APICallError, resumed?: object): APICallError =>
  createCallError(
    resumed === undefined ? 'truncatedResponse' : 'unexpectedResponse',
    { url: cause.url, statusCode: cause.statusCode, responseHeaders: cause.responseHeaders, cause },
    `Expected the ${nameOf(response)} to be on the server, got: ${cause.message} It has expired, was deleted, or cannot ` +
      'be read. Servers keep responses in the background for about ten minutes. Send the request again' +
      `${resumed === undefined ? '' : ' without `resume`'}.`,
  );

export const toLostError = (
  response: BackgroundFacts,
  failures: number,
  context: CallErrorFacts,
): APICallError =>
  createCallError(
    'unexpectedResponse',
    context,
    `Expected the rest of the ${nameOf(response)}, but ${failures} connections in a row failed. It continues on the ` +
      'server: pass its id in `resume` to read it later.',
  );

export const toLimitError = (response: BackgroundFacts, limit: number, url: string): APICallError =>
  createCallError(
    'totalTimeout',
    { url: withoutQuery(url) },
    `Expected a complete response within ${limit} ms (timeouts.total), but the ${nameOf(response)} was ` +
      `${JSON.stringify(response.status ?? 'unknown')}. It was cancelled.`,
  );
