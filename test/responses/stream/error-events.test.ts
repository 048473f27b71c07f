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
    'as a bare string, as xAI sends it,',
    { code: 'The service is currently unavailable', error: 'Timed out waiting for first token' },
    { message: 'Timed out waiting for first token', isRetryable: true },
  ],
  [
    'with the upstream error, as OpenRouter sends it,',
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
  // openai/codex#24973
  [
    'beside a failed response',
    {
      type: 'response.failed',
      response: toResponse([], { status: 'failed', error: null, usage: null }),
      error: { code: 'insufficient_quota', message: 'No credit.' },
    },
    { message: 'No credit.', statusCode: 429, isRetryable: false },
  ],
  [
    'as a text beside a failed response',
    { type: 'response.failed', response: toResponse([], { status: 'failed' }), error: 'No credit.' },
    { message: 'No credit.' },
  ],
  [
    'as the last error of a response',
    { type: 'response.failed', response: toResponse([], { status: 'failed', last_error: RATE_LIMIT }) },
    { message: 'Slow down.', statusCode: 429 },
  ],
  [
    'in the status details of a response',
    {
      type: 'response.failed',
      response: toResponse([], { status: 'failed', error: {}, status_details: { error: RATE_LIMIT } }),
    },
    { message: 'Slow down.', statusCode: 429 },
  ],
  [
    'nested twice',
    { type: 'error', error: { error: RATE_LIMIT } },
    { message: 'Slow down.', statusCode: 429 },
  ],
  ['in a list', { type: 'error', errors: [RATE_LIMIT] }, { message: 'Slow down.', statusCode: 429 }],
  ['as a detail without a type', { detail: 'No such model.' }, { message: 'No such model.' }],
  [
    'as an object without a type',
    { object: 'error', message: 'No.', code: 'model_not_found' },
    { message: 'No.', statusCode: 404, isRetryable: false },
  ],
  [
    'of its own type',
    { type: 'rate_limit_error', message: 'Slow down.' },
    { message: 'Slow down.', statusCode: 429 },
  ],
  [
    'in a response with the status completed',
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
      `${title} is emitted once, after the text`,
      toSse(hello.slice(0, 6)) + toSse([event], framing),
      async chunks => {
        const parts = await readParts(chunks);
        expect(errorOf(parts)).toMatchObject(expected);
        expect(summarize(parts).texts).toEqual(['Hello there']);
      },
    );
  }

  forEachChunking(
    'followed by a failed response is one error, with the usage of the response',
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

  it('is emitted with the usage of a failed response', async () => {
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

  it('ends the response: later events are ignored', async () => {
    const events = [...hello.slice(0, 5), { type: 'error', error: RATE_LIMIT }, ...hello.slice(5)];
    const parts = await readParts(toBytes(toSse(events)));
    errorOf(parts);
    expect(summarize(parts).texts).toEqual(['Hello']);
  });
});
