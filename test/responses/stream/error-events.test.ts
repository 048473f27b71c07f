import type { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { errorOf, hello, RATE_LIMIT, toBytes } from './_broken.js';
import { toResponse, USAGE } from './_fixtures/wire-events.js';

const ERROR_EVENTS: readonly [
  title: string,
  event: Record<string, unknown>,
  expected: Partial<APICallError>,
][] = [
  [
    'flat',
    { type: 'error', ...RATE_LIMIT, param: null, sequence_number: 9 },
    { message: 'Slow down.', statusCode: 429, isRetryable: true },
  ],
  [
    'nested',
    { type: 'error', error: RATE_LIMIT, sequence_number: 9 },
    { message: 'Slow down.', statusCode: 429, isRetryable: true },
  ],
  [
    'nested without a code',
    { type: 'error', error: { message: 'No.', code: null } },
    { message: 'No.', isRetryable: true },
  ],
  ['bare', { error: RATE_LIMIT }, { message: 'Slow down.', statusCode: 429, isRetryable: true }],
  [
    'bare and in words, as from xAI,',
    { code: 'The service is currently unavailable', error: 'Timed out waiting for first token' },
    { message: 'Timed out waiting for first token', isRetryable: true },
  ],
  [
    "with the upstream's words, as from OpenRouter,",
    {
      error: {
        message: 'Provider returned error',
        code: 429,
        metadata: { raw: 'quota of pool 3', provider_name: 'X' },
      },
    },
    { message: 'Provider returned error: quota of pool 3', statusCode: 429, isRetryable: true },
  ],
  [
    'in `response.failed`',
    {
      type: 'response.failed',
      response: toResponse([], { status: 'failed', error: RATE_LIMIT, usage: null }),
    },
    { message: 'Slow down.', statusCode: 429, isRetryable: true },
  ],
  [
    'in a response that is declared completed',
    {
      type: 'response.completed',
      response: toResponse([], { status: 'failed', error: { code: 'invalid_prompt', message: 'No.' } }),
    },
    { message: 'No.', statusCode: 400, isRetryable: false },
  ],
  [
    'in a bare response object',
    toResponse([], { status: 'failed', error: RATE_LIMIT }),
    { message: 'Slow down.', statusCode: 429, isRetryable: true },
  ],
];

describe('an error inside a stream', () => {
  for (const [title, event, expected] of ERROR_EVENTS) {
    const framing = { eventLine: event.type === undefined ? 'none' : 'before' } as const;
    forEachChunking(
      `that is ${title} is told once, after what was said`,
      toSse(hello.slice(0, 6)) + toSse([event], framing),
      async chunks => {
        const parts = await readParts(chunks);
        expect(errorOf(parts)).toMatchObject(expected);
        expect(summarize(parts).texts).toEqual(['Hello there']);
      },
    );
  }

  forEachChunking(
    'and a failed response are one error, and the usage is that of the response',
    toSse([
      ...hello.slice(0, 6),
      { type: 'error', error: { ...RATE_LIMIT, message: 'The first.' } },
      {
        type: 'response.failed',
        response: toResponse([], { status: 'failed', error: { ...RATE_LIMIT, message: 'The second.' } }),
      },
    ]),
    async chunks => {
      expect(errorOf(await readParts(chunks)).message).toBe('The first.');
    },
  );

  it('comes with the usage of a failed response', async () => {
    const failed = {
      type: 'response.failed',
      response: toResponse([], { status: 'failed', error: RATE_LIMIT }),
    };
    const parts = await readParts(toBytes(toSse([...hello.slice(0, 6), failed])));
    expect(summarize(parts).usage).toMatchObject({
      inputTokens: USAGE.input_tokens,
      outputTokens: USAGE.output_tokens,
    });
  });

  it('ends the answer: nothing that follows is told', async () => {
    const events = [...hello.slice(0, 5), { type: 'error', error: RATE_LIMIT }, ...hello.slice(5)];
    const parts = await readParts(toBytes(toSse(events)));
    errorOf(parts);
    expect(summarize(parts).texts).toEqual(['Hello']);
  });
});
