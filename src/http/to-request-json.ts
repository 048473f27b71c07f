import { APICallError } from '@ai-sdk/provider';
import { toErrorText } from './to-error-text.js';
import type { ErrorContext } from './api-error.js';
import { isNonEmptyArray, isPlainObject } from '../shared/json.js';

export interface ToRequestJsonOptions {
  readonly context: ErrorContext;
  /** Writes `input`, where more is known of it than of the rest. @default `JSON.stringify` */
  readonly toInputJson?: (items: readonly unknown[]) => string;
}

/**
 * The text of a request body.
 *
 * @throws APICallError, not retryable, for a body that JSON cannot hold: a BigInt, an object in itself.
 */
export function toRequestJson(
  body: unknown,
  { context: { url, redact }, toInputJson }: ToRequestJsonOptions,
): string {
  try {
    if (toInputJson === undefined || !isPlainObject(body) || !isNonEmptyArray(body.input))
      return JSON.stringify(body);
    const { input, ...others } = body;
    const fields = JSON.stringify(others).slice(1, -1);
    return `{${fields}${fields === '' ? '' : ','}"input":${toInputJson(body.input)}}`;
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
