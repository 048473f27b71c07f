import { APICallError } from '@ai-sdk/provider';
import { toErrorText } from './to-error-text.js';
import type { ErrorContext } from './api-error.js';

/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** RFC 9110, 5.5; `fetch` takes white space and line breaks off the ends. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Finds headers that cannot be sent, such as a key with typographic quotes.
 *
 * @throws APICallError, not retryable, that names the header and never its value.
 */
export function validateHeaders(
  headers: Readonly<Record<string, string>>,
  { url, requestBody, redact }: ErrorContext,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const isName = HEADER_NAME.test(name);
    if (isName && HEADER_VALUE.test(value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, ''))) continue;
    const shown = toErrorText(redact(JSON.stringify(name)));
    throw new APICallError({
      message: isName
        ? `Expected the header ${shown} to be one line of Latin-1 characters, got another character in its value. ` +
          'Check `apiKey` and `headers` for line breaks and typographic quotes.'
        : `Expected the name of a header, got ${shown}. Check \`headers\`.`,
      url,
      requestBodyValues: requestBody,
      isRetryable: false,
    });
  }
}
