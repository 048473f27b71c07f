import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { type ErrorContext, toErrorText } from './api-error.js';
import { redactHeaderValues } from './redaction.js';
import { RETRYABLE } from './retry.js';

const MAX_REDIRECTS = 5;

/** Excludes 303, which redirects to a GET request for another URL: no server of the Responses API sends it. */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * Sends a request and repeats it for a redirect to the same origin. A redirect to another origin fails: `fetch`
 * would send the body and every header except `Authorization` there, for example `api-key`. A custom `fetch` that
 * ignores `redirect` follows redirects in its own way.
 */
export async function fetchWithinOrigin(
  url: string,
  { fetch, context, ...init }: RequestInit & { fetch: FetchFunction; context: ErrorContext },
): Promise<Response> {
  let address = url;
  for (let followed = 0; ; followed++) {
    const response = await fetch(address, { ...init, redirect: 'manual' });
    if (response.type === 'opaqueredirect') throw toError(response, 'that the browser hides');
    const location = REDIRECT_STATUSES.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    response.body?.cancel().catch(() => {});
    if (!URL.canParse(location, address)) throw toError(response, 'without a valid address');
    const target = new URL(location, address);
    // The query may contain a secret.
    const place = `to ${target.origin}${target.pathname}`;
    if (target.origin !== new URL(address).origin)
      throw toError(response, `${place}, another origin, where no key is sent`);
    if (followed === MAX_REDIRECTS) throw toError(response, `${place} after ${MAX_REDIRECTS} others`);
    address = target.href;
  }

  function toError({ status, headers }: Response, target: string): APICallError {
    return new APICallError({
      message:
        `Expected a response from ${context.url}, got a redirect ${toErrorText(context.redact(target))}. ` +
        'If that is the right server, set `baseURL` to it.',
      url: context.url,
      requestBodyValues: context.requestBody,
      ...(status > 0 && { statusCode: status }),
      responseHeaders: redactHeaderValues(headers, context.redact),
      isRetryable: RETRYABLE.refusedRedirect,
    });
  }
}
