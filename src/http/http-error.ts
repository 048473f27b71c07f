import { APICallError } from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import { RESPONSE_LIMITS } from './limits.js';
import { isNestedDeeper } from './is-nested-deeper.js';
import { redactStrings } from './redact-strings.js';
import { toErrorText } from './to-error-text.js';
import { type ErrorContext, isRetryable, toWireError } from './api-error.js';

/** The most of an error body that is kept, in characters. */
const MAX_ERROR_BODY = 65_536;

/** What is read beyond that, so that a key at the end is seen whole. */
const MARGIN = 8_192;

/** The error for an answer whose status is not 2xx. */
export async function toHttpError(
  response: Response,
  { context, hasKey, signal }: { context: ErrorContext; hasKey: boolean; signal?: AbortSignal },
): Promise<APICallError> {
  const text = await readStart(response, signal);
  const body = context.redact(text).slice(0, MAX_ERROR_BODY);
  const data = redactStrings(parse(text), context.redact);
  const error = toWireError(data);
  const { status } = response;
  const told =
    error?.message ??
    (/^\s*</.test(body)
      ? `a web page, not a JSON error (${excerpt(body)})`
      : excerpt(body) || context.redact(response.statusText));
  return new APICallError({
    message: [
      error === undefined ? `${context.url} answered ${status}:` : undefined,
      toErrorText(told),
      toHint(status, { hasKey, isApiError: error !== undefined }),
    ]
      .filter(Boolean)
      .join(' '),
    url: context.url,
    requestBodyValues: context.requestBody,
    statusCode: status,
    responseHeaders: context.responseHeaders,
    responseBody: body,
    isRetryable: isRetryable(error ?? { message: told }, status),
    data,
  });
}

/** What to do about a status that has one usual cause. */
function toHint(
  status: number,
  { hasKey, isApiError }: { hasKey: boolean; isApiError: boolean },
): string | undefined {
  if (status === 401 && !hasKey) return 'No `apiKey` was set: pass one, or set OPENAI_API_KEY.';
  // An API that does not know the model says so; a server that knows nothing of the address does not.
  if (status === 405 || status === 501 || (status === 404 && !isApiError)) {
    return 'Check `baseURL`: this server has no Responses API there.';
  }
  return undefined;
}

async function readStart(response: Response, signal: AbortSignal | undefined): Promise<string> {
  let text = '';
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader !== undefined && text.length < MAX_ERROR_BODY + MARGIN) {
      // A `fetch` of the host's own may not heed the signal.
      const { value, done } = await untilAborted(reader.read(), signal);
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status is the error; a body that breaks off adds nothing to it.
  } finally {
    reader?.cancel().catch(() => {});
  }
  return text;
}

function parse(body: string): unknown {
  if (isNestedDeeper(body, RESPONSE_LIMITS.nesting)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const excerpt = (body: string): string => body.replace(/\s+/g, ' ').trim().slice(0, 200);
