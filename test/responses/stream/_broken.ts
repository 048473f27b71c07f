import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { expect } from 'vitest';
import { summarize } from '../../_parts.js';
import { message, toStream } from './_fixtures/wire-events.js';

export const toBytes = (text: string) => [new TextEncoder().encode(text)];

/** Returns the only error of a broken response. */
export function errorOf(parts: readonly LanguageModelV2StreamPart[]): APICallError {
  const { errors, finishReason } = summarize(parts);
  expect(errors).toHaveLength(1);
  expect(finishReason).toBe('error');
  const [error] = errors;
  if (!APICallError.isInstance(error)) throw new Error(`no APICallError: ${String(error)}`);
  return error;
}

export const hello = toStream([message(['Hello there'])]);

export const RATE_LIMIT = { code: 'rate_limit_exceeded', message: 'Slow down.' };
