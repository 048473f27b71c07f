import { APICallError } from '@ai-sdk/provider';
import { type ErrorContext, isRetryable, toWireError } from '../stream/wire-error.js';

/** The most of an error body that is read, in characters. */
const MAX_ERROR_BODY = 65_536;

/** The error for an answer whose status is not 2xx. */
export async function toHttpError(
  response: Response,
  { context, hasKey }: { context: ErrorContext; hasKey: boolean },
): Promise<APICallError> {
  const body = context.redact(await readStart(response));
  const data = parse(body);
  const error = toWireError(data);
  const { status } = response;
  const told =
    error?.message ??
    (/^\s*</.test(body)
      ? `a web page, not a JSON error (${excerpt(body)})`
      : excerpt(body) || response.statusText);
  return new APICallError({
    message: [
      error === undefined ? `${context.url} answered ${status}: ${told}` : told,
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

async function readStart(response: Response): Promise<string> {
  let text = '';
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader !== undefined && text.length < MAX_ERROR_BODY) {
      const { value, done } = await reader.read();
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
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const excerpt = (body: string): string => body.replace(/\s+/g, ' ').trim().slice(0, 200);
