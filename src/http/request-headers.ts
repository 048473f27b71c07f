import { APICallError } from '@ai-sdk/provider';
import { type ErrorContext, toErrorText } from './api-error.js';
import { RETRYABLE } from './retry.js';

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
    const { url, requestBody, redact } = context;
    const shownName = toErrorText(redact(JSON.stringify(name)));
    throw new APICallError({
      message: isName
        ? `Expected the header ${shownName} to be one line of Latin-1 characters, got another character in its value. ` +
          'Check `apiKey` and `headers` for line breaks and typographic quotes.'
        : `Expected the name of a header, got ${shownName}. Check \`headers\`.`,
      url,
      requestBodyValues: requestBody,
      isRetryable: RETRYABLE.invalidRequest,
    });
  }
}
