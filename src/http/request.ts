import type { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { createCallError, type ErrorContext, toErrorText } from './api-error.js';
import { redactHeaderValues } from '../redaction/redaction.js';

/* The headers of a request, and the origins to which it may be sent. */

/** Headers of a request. An undefined value removes a header. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Merges headers. Names are compared in lower case, because hosts differ in it; the last value of a name wins. */
export function mergeHeaders(sets: readonly (RequestHeaders | undefined)[]): Record<string, string> {
  const byName = new Map<string, string>();
  for (const headers of sets) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value === undefined) byName.delete(name.toLowerCase());
      else byName.set(name.toLowerCase(), value);
    }
  }
  return Object.fromEntries(byName);
}

/** Adds the beta features that a request uses to those that the caller enables. */
export function withBetas(
  sets: readonly (RequestHeaders | undefined)[],
  betas: readonly string[],
): readonly (RequestHeaders | undefined)[] {
  if (betas.length === 0) return sets;
  const { 'openai-beta': enabled } = mergeHeaders(sets);
  return [...sets, { 'openai-beta': [...(enabled === undefined ? [] : [enabled]), ...betas].join(', ') }];
}

/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** RFC 9110, 5.5; `fetch` removes white space and line breaks from both ends. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Rejects headers that cannot be sent, such as a key with typographic quotes.
 *
 * @throws APICallError, not retryable, that contains the name of the header but not its value.
 */
export function validateHeaders(headers: Readonly<Record<string, string>>, context: ErrorContext): void {
  for (const [name, value] of Object.entries(headers)) {
    const isName = HEADER_NAME.test(name);
    if (isName && HEADER_VALUE.test(value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, ''))) continue;
    const shownName = toErrorText(context.redact(JSON.stringify(name)));
    throw createCallError(
      'invalidRequest',
      context,
      isName
        ? `Expected the header ${shownName} to be one line of Latin-1 characters, got another character in its value. ` +
            'Check `apiKey` and `headers` for line breaks and typographic quotes.'
        : `Expected the name of a header, got ${shownName}. Check \`headers\`.`,
    );
  }
}

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
    const responseHeaders = redactHeaderValues(headers, context.redact);
    return createCallError(
      'refusedRedirect',
      { ...context, responseHeaders, statusCode: status || undefined },
      `Expected a response from ${context.url}, got a redirect ${toErrorText(context.redact(target))}. ` +
        'If that is the right server, set `baseURL` to it.',
    );
  }
}
