import { APICallError } from '@ai-sdk/provider';
import { delay } from '@ai-sdk/provider-utils';
import { toRetryAfter } from '../http/retry.js';

export interface RetryOptions {
  readonly maxRetries: number;
  /** Wait before the first repetition in milliseconds, doubled each time. */
  readonly initialDelay: number;
  readonly signal: AbortSignal;
  /** A number from 0 to 1 that spreads the waits of many clients. */
  readonly random?: () => number;
}

/** A server that asks for a longer wait than this gets no repetition: the caller should know. In milliseconds. */
const MAX_DELAY = 60_000;

/** Runs an operation again while it fails with a retryable `APICallError`, heeding `Retry-After`. */
export async function retry<T>(
  operation: () => Promise<T>,
  { maxRetries, initialDelay, signal, random = Math.random }: RetryOptions,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (signal.aborted || attempt >= maxRetries || !APICallError.isInstance(error) || !error.isRetryable)
        throw error;
      const backOff = initialDelay * 2 ** attempt * (0.75 + random() / 2);
      const wait = toRetryAfter(error.responseHeaders, Date.now()) ?? backOff;
      if (wait > MAX_DELAY) throw error;
      await delay(wait, { abortSignal: signal });
    }
  }
}
