import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { toErrorText } from './to-error-text.js';
import type { ErrorContext } from './api-error.js';

const MAX_REDIRECTS = 5;

/** 303 is missing: its answer is elsewhere, by GET, which no server of the Responses API does. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * Posts, and posts the same again where a redirect leads to the same origin. A redirect to another origin fails: left
 * to itself, `fetch` takes the body and every header but `Authorization` along, `api-key` for one. A `fetch` of the
 * host's own that does not heed `redirect` follows as it will.
 */
export async function fetchWithinOrigin(
  url: string,
  { fetch, context, ...init }: RequestInit & { fetch: FetchFunction; context: ErrorContext },
): Promise<Response> {
  let address = url;
  for (let followed = 0; ; followed++) {
    const response = await fetch(address, { ...init, redirect: 'manual' });
    if (response.type === 'opaqueredirect') throw refuse(response, 'that a browser does not let us see');
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    response.body?.cancel().catch(() => {});
    if (!URL.canParse(location, address)) throw refuse(response, 'to no address');
    const target = new URL(location, address);
    // Its query may hold a secret.
    const place = `to ${target.origin}${target.pathname}`;
    if (target.origin !== new URL(address).origin)
      throw refuse(response, `${place}, another origin, where no key is sent`);
    if (followed === MAX_REDIRECTS) throw refuse(response, `${place} after ${MAX_REDIRECTS} others`);
    address = target.href;
  }

  function refuse({ status, headers }: Response, told: string): APICallError {
    return new APICallError({
      message:
        `Expected an answer from ${context.url}, got a redirect ${toErrorText(context.redact(told))}. ` +
        'If that is the right server, set `baseURL` to it.',
      url: context.url,
      requestBodyValues: context.requestBody,
      ...(status > 0 && { statusCode: status }),
      responseHeaders: toCleanHeaders(headers, context.redact),
      isRetryable: false,
    });
  }
}

/** The headers of an answer, without the keys that a server may repeat in them. */
export const toCleanHeaders = (headers: Headers, redact: (text: string) => string): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, value]) => [name, redact(value)]));
