import { APICallError } from '@ai-sdk/provider';
import { toErrorText } from '../stream/to-error-text.js';
import type { ErrorContext } from '../stream/wire-error.js';

/**
 * The text of a request body.
 *
 * @throws APICallError, not retryable, for a body that JSON cannot hold: a BigInt, an object in itself.
 */
export function toRequestJson(body: unknown, { url, redact }: ErrorContext): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    const told = toErrorText(redact(error instanceof Error ? error.message : String(error)));
    throw new APICallError({
      message: `Expected a request body that JSON can hold, got one that it cannot: ${told}. Check the provider options and the messages of the call.`,
      url,
      // Whoever logs the error would fail at the body in the same way.
      requestBodyValues: undefined,
      isRetryable: false,
    });
  }
}
