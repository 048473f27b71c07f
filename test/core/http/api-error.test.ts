import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { toHttpError, toStreamError } from '../../../src/core/http/api-error.js';
import { readError } from '../../../src/core/shared/reported-error.js';

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
    'a string with a code, as xAI sends it',
    { code: 'Timed out', error: 'No' },
    { message: 'No', code: 'Timed out' },
  ],
  ['with a numeric code', { error: { message: 'No', code: 503 } }, { message: 'No', code: '503' }],
  [
    'with the upstream error, as OpenRouter sends it',
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: 'too long' } } },
    { message: 'Provider returned error: too long', code: '400' },
  ],
  ['as a detail, as FastAPI sends it', { detail: 'Not Found' }, { message: 'Not Found' }],
  ['with structured details', { detail: [{ loc: ['body'] }] }, { message: '[{"loc":["body"]}]' }],
  [
    'in a list with one entry, as Google sends it',
    [{ error: { message: 'No', code: 400 } }],
    { message: 'No', code: '400' },
  ],
  [
    'with only a code',
    { error: { code: 'overloaded' } },
    { message: 'error overloaded', code: 'overloaded' },
  ],
  ['without a code and a message', { error: {} }, undefined],
  ['that is not an object', 'No', undefined],
];

describe('readError', () => {
  it.each(SHAPES)('reads an error %s', (_, value, expected) => {
    expect(readError(value)).toEqual(expected);
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
  ])('maps %s to status %s with retryable %s', (code, statusCode, isRetryable) => {
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

  // The codes of a failed response in the types of `openai` 7 that concern the request.
  it.each([
    ['data_residency_mismatch', 403],
    ['bio_policy', 403],
    ['misalignment_policy_violation', 403],
    ['cyber_policy', 403],
    ['some_new_policy', 403],
    ['invalid_image', 400],
    ['invalid_image_format', 400],
    ['invalid_base64_image', 400],
    ['invalid_image_url', 400],
    ['image_too_large', 400],
    ['image_too_small', 400],
    ['image_parse_error', 400],
    ['image_content_policy_violation', 400],
    ['invalid_image_mode', 400],
    ['image_file_too_large', 400],
    ['unsupported_image_media_type', 400],
    ['empty_image_file', 400],
    ['failed_to_download_image', 400],
    ['image_file_not_found', 400],
    ['context_length_exceeded', 400],
    ['credit_balance_exhausted', 429],
  ])('treats %s as final with status %s', async (code, statusCode) => {
    const body = { error: { code, message: 'No' } };
    expect(toStreamError(body, context)).toMatchObject({ statusCode, isRetryable: false });
    // Gateways may report the error of their upstream with another status.
    if (statusCode !== 429 && code !== 'context_length_exceeded') {
      expect((await errorOf(JSON.stringify(body), { status: 500 })).isRetryable).toBe(false);
    }
  });

  it.each([
    ['vector_store_timeout', 504],
    ['image_generation_server_error', 500],
    ['image_generation_rate_limit', 429],
    ['engine_overloaded', 503],
    ['websocket_connection_limit_reached', 400],
  ])('treats %s as transient with status %s', (code, statusCode) => {
    expect(toStreamError({ error: { code, message: 'No' } }, context)).toMatchObject({
      statusCode,
      isRetryable: true,
    });
  });

  it.each([
    ['429 Rate limit reached.', 429, true],
    ['401 Invalid credentials', 401, false],
    ['404 The model does not exist', 404, false],
    ['500 Internal error', 500, true],
    ['512 tokens were generated', 500, true],
  ])(
    'reads the status of the upstream in %j, as responses.js sends it',
    (message, statusCode, isRetryable) => {
      const error = toStreamError({ error: { code: 'server_error', message } }, context);
      expect(error).toMatchObject({ statusCode, isRetryable, message });
    },
  );

  it.each([
    ['Timed out waiting for first token', null, true],
    ['An error occurred while processing your request.', null, true],
    ['Your input is malformed.', null, false],
    ['The image could not be decoded.', null, false],
    ['Something is wrong.', 'input[3].content', false],
  ])('retries an unknown error unless it concerns the input: %j', (message, param, isRetryable) => {
    const error = toStreamError({ error: { code: 'something_new', message, param } }, context);
    expect(error).toMatchObject({ statusCode: undefined, isRetryable });
  });

  it('keeps all fields of the error', () => {
    const body = {
      error: {
        code: 'misalignment_policy_violation',
        message: 'No',
        param: 'input',
        misalignment: { error_type: 'a', steer: { message: 'b' } },
      },
    };
    expect(toStreamError(body, context).data).toEqual(body);
  });

  it('uses the type if there is no code', () => {
    const error = toStreamError({ error: { type: 'rate_limit_error', code: null, message: 'No' } }, context);
    expect(error.statusCode).toBe(429);
  });

  it('reports that the server sent no reason', () => {
    expect(toStreamError({ status: 'failed', error: null }, context).message).toMatch(/without a reason/);
  });

  it('redacts credentials in the message and the data', () => {
    const error = toStreamError(
      { error: { message: 'Bad key sk-1', hint: 'sk-1' } },
      { ...context, redact: text => text.replaceAll('sk-1', '[redacted]') },
    );
    expect(error.message).toBe('Bad key [redacted]');
    expect(error.data).toEqual({ error: { message: 'Bad key [redacted]', hint: '[redacted]' } });
  });
});

const KEY = 'sk-proj-secret';

const errorOf = (body: string, { status = 400, hasKey = true }: { status?: number; hasKey?: boolean } = {}) =>
  toHttpError(new Response(body, { status, statusText: 'Some Status' }), {
    hasKey,
    context: {
      url: 'http://server.test/v1/responses',
      requestBody: { model: 'm' },
      responseHeaders: { 'x-request-id': 'req_1' },
      redact: text => text.replaceAll(KEY, '[redacted]'),
    },
  });

const BODIES: readonly [title: string, body: unknown, message: string][] = [
  ['nested', { error: { message: 'No.', type: 'invalid_request_error', param: null, code: null } }, 'No.'],
  ['flat', { type: 'error', code: 'bad', message: 'No.' }, 'No.'],
  ['a string with a code', { code: 'Client specified an invalid argument', error: 'No.' }, 'No.'],
  [
    'an upstream error',
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: 'too long' } } },
    'Provider returned error: too long',
  ],
  ['a detail', { detail: 'Not Found' }, 'Not Found'],
  ['in a list', [{ error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } }], 'No.'],
];

describe('toHttpError', () => {
  it.each(BODIES)('reads an error that is %s', async (_, body, message) => {
    const text = JSON.stringify(body);
    const error = await errorOf(text);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message,
      statusCode: 400,
      url: 'http://server.test/v1/responses',
      requestBodyValues: { model: 'm' },
      responseHeaders: { 'x-request-id': 'req_1' },
      responseBody: text,
      data: body,
    });
  });

  it.each([
    [
      '<!DOCTYPE html><h1>404</h1>',
      /returned status 400: a web page, not a JSON error \(<!DOCTYPE html><h1>404<\/h1>\)/,
    ],
    [
      'upstream   connect\nerror',
      /^http:\/\/server\.test\/v1\/responses returned status 400: upstream connect error$/,
    ],
    ['', /returned status 400: Some Status$/],
    ['{"ok":false}', /returned status 400: \{"ok":false}$/],
  ])('reports the status and an excerpt of a body without an error: %j', async (body, message) => {
    expect((await errorOf(body, { status: 400 })).message).toMatch(message);
  });

  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [409, true],
    [422, false],
    [429, true],
    [500, true],
    [503, true],
    [529, true],
  ])('maps status %i to retryable %s', async (status, isRetryable) => {
    expect((await errorOf('{"error":{"message":"No."}}', { status })).isRetryable).toBe(isRetryable);
  });

  it('is not retryable if the model cannot read images', async () => {
    const body =
      '{"error":{"code":500,"message":"image input is not supported - hint: …","type":"server_error"}}';
    expect((await errorOf(body, { status: 500 })).isRetryable).toBe(false);
  });

  it('is not retryable if the quota is used up', async () => {
    const error = await errorOf('{"error":{"message":"No.","code":"insufficient_quota"}}', { status: 429 });
    expect(error.isRetryable).toBe(false);
  });

  it('reports a missing key if the server requires one', async () => {
    const body = '{"error":{"message":"Unauthorized."}}';
    expect((await errorOf(body, { status: 401, hasKey: false })).message).toBe(
      'Unauthorized. No `apiKey` was set: pass one, or set OPENAI_API_KEY.',
    );
    expect((await errorOf(body, { status: 401 })).message).toBe('Unauthorized.');
  });

  it.each(['{"detail":"Method Not Allowed"}', 'Method Not Allowed'])(
    'ends each sentence of a status 405 with the body %j, and names the address',
    async body => {
      const { message } = await errorOf(body, { status: 405 });
      expect(message).toMatch(
        /^http\S+ returned status 405: Method Not Allowed\. Check `baseURL`: this server has no Responses API there\.$/,
      );
    },
  );

  it.each([404, 405, 501])(
    'suggests checking the base URL for a %i that is not an API error',
    async status => {
      expect((await errorOf('Not here', { status })).message).toMatch(
        /Check `baseURL`: this server has no Responses API there\.$/,
      );
    },
  );

  it('does not suggest checking the base URL for an unknown model', async () => {
    const error = await errorOf('{"error":{"message":"No such model."}}', { status: 404 });
    expect(error.message).toBe('No such model.');
  });

  it('redacts a key that the server repeats', async () => {
    const error = await errorOf(
      JSON.stringify({ error: { message: `Incorrect API key: ${KEY}.`, hint: KEY } }),
      {
        status: 401,
      },
    );
    expect(error.message).toBe('Incorrect API key: [redacted].');
    expect(JSON.stringify([error.responseBody, error.data])).not.toContain(KEY);
  });

  it('stops reading a long body', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull: controller => {
        pulled++;
        controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
      },
    });
    const error = await toHttpError(new Response(endless, { status: 500 }), {
      hasKey: true,
      context: { url: 'http://server.test/', requestBody: {}, redact: text => text },
    });
    expect(error.statusCode).toBe(500);
    expect(pulled).toBeLessThan(20);
  });
});
