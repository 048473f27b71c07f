import { APICallError } from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import { joinSentences, markCut } from '../shared/errors.js';
import { isNestedDeeper, tryParseJson } from '../shared/json.js';
import { readError, type ReportedError } from '../shared/reported-error.js';
import { RESPONSE_LIMITS } from './text-stream.js';
import { redactErrorJson } from '../redaction/redaction.js';
import { isRetryable, RETRYABLE, statusOfCode } from './retry.js';

/** The request to which an error belongs. */
export interface ErrorContext {
  /** The address of the request without query and credentials. */
  readonly url: string;
  readonly requestBody: unknown;
  readonly responseHeaders?: Record<string, string>;
  /** Removes credentials from text of the server: some servers repeat the key that they refuse. */
  readonly redact: (text: string) => string;
}

/** The facts of an error that this package detects itself. */
export interface CallErrorFacts {
  readonly url: string;
  readonly requestBody?: unknown;
  readonly responseHeaders?: Record<string, string> | undefined;
  readonly statusCode?: number | undefined;
  readonly cause?: unknown;
}

export const createCallError = (
  failure: keyof typeof RETRYABLE,
  { url, requestBody, responseHeaders, statusCode, cause }: CallErrorFacts,
  message: string,
): APICallError => {
  const isRetryable = RETRYABLE[failure];
  const fields = { message, url, statusCode, responseHeaders, cause, isRetryable };
  const error = new APICallError({ ...fields, requestBodyValues: requestBody });
  // Of the failures of a response that has begun, only those of its connection can be retried.
  if (isRetryable && responseHeaders !== undefined) markCut(error);
  return error;
};

export function toStreamError(value: unknown, context: ErrorContext): APICallError {
  const data = redactErrorJson(value ?? null, context.redact);
  const error = readError(data) ?? { message: 'The server reported an error without a reason.' };
  // LM Studio without the API answers with status 200.
  const isMissing = isMissingRoute(error, context);
  const status = isMissing ? 404 : statusOfCode(error);
  return new APICallError({
    message: isMissing ? describeMissing(error.message, context) : toErrorText(error.message),
    url: context.url,
    requestBodyValues: context.requestBody,
    responseHeaders: context.responseHeaders,
    statusCode: status,
    isRetryable: isRetryable({ ...error, status }),
    data,
  });
}

/** The maximum length of an error body that is kept, in characters. */
const MAX_ERROR_BODY = 65_536;

/** Read beyond `MAX_ERROR_BODY`, so that a key at its end is complete and can be redacted. */
const MARGIN = 8_192;

/** Converts a response whose status is not 2xx. */
export async function toHttpError(
  response: Response,
  { context, hasKey, signal }: { context: ErrorContext; hasKey: boolean; signal?: AbortSignal },
): Promise<APICallError> {
  const text = await readStart(response, signal);
  const body = context.redact(text).slice(0, MAX_ERROR_BODY);
  const data = redactErrorJson(parseBody(text), context.redact);
  const error = readError(data);
  const { status } = response;
  const message =
    error?.message ??
    (/^\s*</.test(body)
      ? `a web page, not a JSON error (${excerptOf(body)})`
      : excerptOf(body) || context.redact(response.statusText));
  const hint = toHint(status, { hasKey, isApiError: error !== undefined });
  const isMissing = status === 404 && error !== undefined && isMissingRoute(error, { ...context, status });
  return new APICallError({
    message: isMissing
      ? describeMissing(message, context)
      : joinSentences(
          error === undefined || hint === NO_API ? `${context.url} returned status ${status}:` : undefined,
          toErrorText(message),
          hint,
        ),
    url: context.url,
    requestBodyValues: context.requestBody,
    statusCode: status,
    responseHeaders: context.responseHeaders,
    responseBody: body,
    isRetryable: isRetryable({ message, ...error, status }),
    data,
  });
}

/** Messages of servers and gateways that have no endpoint at an address. */
const MISSING_ROUTE =
  /no route matched|(?:unexpected|unknown|invalid) (?:endpoint|url|route)|no (?:such )?(?:endpoint|route) found/i;

/** Messages that mean it with status 404 and without a code that names something else. */
const NOT_FOUND = /^(?:(?:file|resource|page|url|route|endpoint|404)[ :]*)?not found[.!]?$/i;

/** Returns true if the server has no endpoint for new responses. A model, an item or a response may be missing instead. */
function isMissingRoute(
  error: ReportedError,
  context: { readonly url: string; readonly status?: number },
): boolean {
  if (
    !/\/responses(?:\/compact)?$/.test(context.url) ||
    error.param !== undefined ||
    /\w_not_found/.test(error.code ?? '')
  )
    return false;
  return (
    MISSING_ROUTE.test(error.message) || (context.status === 404 && NOT_FOUND.test(error.message.trim()))
  );
}

/** A server may have the API without the endpoint for compactions. */
const describeMissing = (message: string, context: Pick<ErrorContext, 'url'>): string =>
  `${context.url} returned "${toErrorText(message)}". ` +
  (context.url.endsWith('/compact') ? 'This server has no endpoint for compactions.' : NO_API);

const NO_API = 'Check `baseURL`: this server has no Responses API there.';

/** Returns the next step for a status that has one usual cause. */
function toHint(status: number, options: { hasKey: boolean; isApiError: boolean }): string | undefined {
  if (status === 401 && !options.hasKey) return 'No `apiKey` was set: pass one, or set OPENAI_API_KEY.';
  // An API that does not have the model reports a JSON error; a server without the endpoint does not.
  if (status === 405 || status === 501 || (status === 404 && !options.isApiError)) {
    return NO_API;
  }
  return undefined;
}

async function readStart(response: Response, signal: AbortSignal | undefined): Promise<string> {
  let text = '';
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader !== undefined && text.length < MAX_ERROR_BODY + MARGIN) {
      // A custom `fetch` may ignore the signal.
      const { value, done } = await untilAborted(reader.read(), signal);
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status suffices for the error, so a truncated body is ignored.
  } finally {
    reader?.cancel().catch(() => {});
  }
  return text;
}

const parseBody = (body: string): unknown =>
  isNestedDeeper(body, RESPONSE_LIMITS.nesting) ? undefined : tryParseJson(body);

const excerptOf = (body: string): string => body.replace(/\s+/g, ' ').trim().slice(0, 200);

/** The maximum length of server text in an error message, in characters. */
const MAX_MESSAGE = 2_000;

/** Characters that control a terminal or reverse the direction of text. Line feeds and tabs are harmless. */
const CONTROL_CHARACTERS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Adds the next step to the message of an error. */
export function withHint(error: APICallError, hint: string): APICallError {
  const { message, url, requestBodyValues, statusCode, responseHeaders } = error;
  const { responseBody, isRetryable, data, cause } = error;
  return new APICallError({
    url,
    requestBodyValues,
    statusCode,
    responseHeaders,
    responseBody,
    isRetryable,
    data,
    cause,
    message: joinSentences(message, hint),
  });
}

/** Shortens text of a server for an error message and escapes control characters. */
export function toErrorText(text: string): string {
  const start = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
  return start
    .replaceAll('\r\n', '\n')
    .replace(CONTROL_CHARACTERS, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
