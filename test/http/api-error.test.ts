import { describe, expect, it } from 'vitest';
import { toStreamError, toWireError } from '../../src/http/api-error.js';

const SHAPES: readonly [string, unknown, Record<string, unknown> | undefined][] = [
  [
    'nested, as OpenAI documents it for requests',
    { error: { message: 'No', type: 'invalid_request_error', code: 'bad', param: null } },
    { message: 'No', type: 'invalid_request_error', code: 'bad' },
  ],
  [
    'nested in an event',
    { type: 'error', error: { type: 'server_error', code: null, message: 'No' } },
    { message: 'No', type: 'server_error' },
  ],
  [
    'flat, as OpenAI documents it for streams',
    { type: 'error', code: 'bad', message: 'No', param: null },
    { message: 'No', code: 'bad' },
  ],
  [
    'text beside a code, as xAI sends it',
    { code: 'Timed out', error: 'No' },
    { message: 'No', code: 'Timed out' },
  ],
  ['with a code that is a number', { error: { message: 'No', code: 503 } }, { message: 'No', code: '503' }],
  [
    "with the upstream's own words, as OpenRouter sends it",
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: 'too long' } } },
    { message: 'Provider returned error: too long', code: '400' },
  ],
  ['as a detail, as FastAPI sends it', { detail: 'Not Found' }, { message: 'Not Found' }],
  ['as details that are no text', { detail: [{ loc: ['body'] }] }, { message: '[{"loc":["body"]}]' }],
  [
    'in a list of one, as Google sends it',
    [{ error: { message: 'No', code: 400 } }],
    { message: 'No', code: '400' },
  ],
  [
    'as a code without words',
    { error: { code: 'overloaded' } },
    { message: 'error overloaded', code: 'overloaded' },
  ],
  ['without any word', { error: {} }, undefined],
  ['as no object', 'No', undefined],
];

describe('toWireError', () => {
  it.each(SHAPES)('reads an error %s', (_, value, expected) => {
    expect(toWireError(value)).toEqual(expected);
  });
});

describe('toStreamError', () => {
  const context = {
    url: 'http://server.test/v1/responses',
    requestBody: { model: 'm' },
    redact: (text: string) => text,
  };

  it.each([
    ['rate_limit_exceeded', 429, true],
    ['insufficient_quota', 429, false],
    ['server_error', 500, true],
    ['invalid_api_key', 401, false],
    ['invalid_prompt', 400, false],
    ['502', 502, true],
    ['something_new', undefined, true],
  ])('gives %s the status %s, with retryable %s', (code, statusCode, isRetryable) => {
    const error = toStreamError({ type: 'error', code, message: 'No' }, context);
    expect(error).toMatchObject({
      name: 'AI_APICallError',
      message: 'No',
      statusCode,
      isRetryable,
      url: context.url,
      requestBodyValues: context.requestBody,
    });
  });

  it('goes by the type where there is no code', () => {
    const error = toStreamError({ error: { type: 'rate_limit_error', code: null, message: 'No' } }, context);
    expect(error.statusCode).toBe(429);
  });

  it('says so when the server gives no reason', () => {
    expect(toStreamError({ status: 'failed', error: null }, context).message).toMatch(/without saying which/);
  });

  it('takes credentials out of what the server says', () => {
    const error = toStreamError(
      { error: { message: 'Bad key sk-1', hint: 'sk-1' } },
      { ...context, redact: text => text.replaceAll('sk-1', '[redacted]') },
    );
    expect(error.message).toBe('Bad key [redacted]');
    expect(error.data).toEqual({ error: { message: 'Bad key [redacted]', hint: '[redacted]' } });
  });
});
