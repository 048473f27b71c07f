import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, message, toResponse, toStream, USAGE } from './_fixtures/wire-events.js';

const toBytes = (text: string) => [new TextEncoder().encode(text)];

/** The one error of an answer that broke. */
function errorOf(parts: readonly LanguageModelV2StreamPart[]): APICallError {
  const { errors, finishReason } = summarize(parts);
  expect(errors).toHaveLength(1);
  expect(finishReason).toBe('error');
  const [error] = errors;
  if (!APICallError.isInstance(error)) throw new Error(`no APICallError: ${String(error)}`);
  return error;
}

/** The events up to the first of a type, that one included. */
const upTo = (events: readonly WireEvent[], type: string) =>
  events.slice(0, events.findIndex(event => event.type === type) + 1);

const NO_USAGE = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
const hello = toStream([message(['Hello there'])]);

describe('an answer that ends without a terminal event', () => {
  forEachChunking(
    'is an error that may be retried, with what was said before and with a usage',
    toSse(hello.slice(0, -1)),
    async chunks => {
      const parts = await readParts(chunks);
      const error = errorOf(parts);
      expect(error.message).toBe(
        'Expected a Responses API answer from http://server.test/v1/responses to end with "response.completed", ' +
          'but the stream ended after "response.output_item.done". ' +
          'The connection was probably cut; the request can be repeated.',
      );
      expect(error.isRetryable).toBe(true);
      expect(summarize(parts)).toMatchObject({ texts: ['Hello there'], usage: NO_USAGE });
    },
  );

  forEachChunking(
    'is one though it has [DONE]',
    toSse(hello.slice(0, -1), { doneMarker: true }),
    async chunks => {
      expect(errorOf(await readParts(chunks)).isRetryable).toBe(true);
    },
  );

  forEachChunking(
    'is one where the terminal event is cut in the middle',
    toSse(hello).slice(0, -40),
    async chunks => {
      expect(errorOf(await readParts(chunks)).isRetryable).toBe(true);
    },
  );

  it('is one where a second lifecycle has begun', async () => {
    const events = [...hello, ...toStream([message(['More'])]).slice(0, -1)];
    const parts = await readParts(toBytes(toSse(events)));
    expect(errorOf(parts).message).toContain('the stream ended after "response.output_item.done"');
  });

  forEachChunking(
    'does not give half a call to the host',
    toSse(
      upTo(toStream([functionCall('rm', '{"path":"/tmp/abc"}')]), 'response.function_call_arguments.delta'),
    ),
    async chunks => {
      const parts = await readParts(chunks);
      errorOf(parts);
      expect(summarize(parts).calls).toEqual([]);
      expect(parts.map(({ type }) => type)).toContain('tool-input-end');
    },
  );

  it('does not give a call to the host whose arguments happen to be whole but are not declared so', async () => {
    const events = toStream([functionCall('rm', '{}')]).filter(
      ({ type }) => !type.endsWith('arguments.done'),
    );
    const parts = await readParts(toBytes(toSse(upTo(events, 'response.function_call_arguments.delta'))));
    errorOf(parts);
    expect(summarize(parts).calls).toEqual([]);
  });

  it('tells what broke the connection', async () => {
    const waiting = toBytes(toSse(hello.slice(0, 6)));
    const broken = new Error('socket hang up');
    const parts = await readParts([], {
      read: async () => {
        const next = waiting.shift();
        if (next === undefined) throw broken;
        return next;
      },
    });
    expect(summarize(parts)).toMatchObject({
      errors: [broken],
      finishReason: 'error',
      texts: ['Hello there'],
    });
  });
});

const RATE_LIMIT = { code: 'rate_limit_exceeded', message: 'Slow down.' };

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

const chatChunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'Hi' } }],
};

describe('an answer that is none of the Responses API', () => {
  forEachChunking(
    'but the chunks of an Azure deployment that speaks chat completions, is one error that says so',
    toSse([chatChunk, chatChunk, chatChunk], { eventLine: 'none', doneMarker: true }),
    async chunks => {
      const error = errorOf(await readParts(chunks));
      expect(error.message).toMatch(
        /^Expected the events of the Responses API from .*, got chat completions\./,
      );
      expect(error.message).toContain('use a chat-completions provider for it');
      expect(error.isRetryable).toBe(false);
    },
  );

  const page =
    '<!DOCTYPE html>\n<html><head><title>Sign in to Example</title></head><body>Please sign in.</body></html>';

  forEachChunking('but a web page, quotes its beginning', `\n${page}`, async chunks => {
    const error = errorOf(await readParts(chunks));
    expect(error.message).toMatch(/got a web page: "<!DOCTYPE html> <html><head><title>Sign in to Example/);
    expect(error.message).toMatch(/Check that `baseURL` is the API root/);
    expect(error.isRetryable).toBe(false);
  });

  it.each(['', '\n\r\n \n'])('but an empty body (%j), says so', async body => {
    const error = errorOf(await readParts(toBytes(body)));
    expect(error.message).toMatch(
      /to end with "response.completed", but came an empty body\. Check that `baseURL`/,
    );
  });

  forEachChunking('but comments, says that nothing came', ': ping\n\n: ping\n\n', async chunks => {
    expect(errorOf(await readParts(chunks)).message).toContain('came an empty body');
  });

  forEachChunking(
    'but broken JSON, quotes it',
    '{"id":"resp_1","object":"response","output":[{"type',
    async chunks => {
      const error = errorOf(await readParts(chunks));
      expect(error.message).toContain('got a JSON document that is broken: "{\\"id\\":\\"resp_1\\"');
      expect(error.message).toMatch(/Check that `baseURL`/);
    },
  );

  it.each(['{"status":"ok"}', '["ok"]', '{"models":[]}'])('but other JSON (%s), quotes it', async body => {
    const error = errorOf(await readParts(toBytes(body)));
    expect(error.message).toContain(`got other JSON: ${JSON.stringify(body)}`);
    expect(error.isRetryable).toBe(false);
  });

  it('but an error in a JSON document, tells that error', async () => {
    const error = errorOf(await readParts(toBytes(JSON.stringify({ error: RATE_LIMIT }))));
    expect(error).toMatchObject({ message: 'Slow down.', statusCode: 429, isRetryable: true });
  });

  it('but plain text, quotes it', async () => {
    const error = errorOf(await readParts(toBytes('data: upstream gone\n\n')));
    expect(error.message).toContain('a body without any event, beginning with "upstream gone"');
  });

  it('counts data lines in which there is no event, and reads on', async () => {
    const noise = 'data: {"broken\n\ndata: {"hello":1}\n\n';
    const body = `${toSse(hello.slice(0, 5))}${noise}${toSse(hello.slice(5))}`;
    const parts = await readParts(toBytes(body));
    expect(summarize(parts)).toMatchObject({ texts: ['Hello there'], errors: [], finishReason: 'stop' });
    expect(parts.at(-1)).toMatchObject({ providerMetadata: { kelivo: { droppedEvents: 2 } } });
  });

  it.each([
    '<html>Bad key sk-secret</html>',
    '{"note":"Bad key sk-secret"}',
    '{"note":"Bad key sk-secret"',
    'data: Bad key sk-secret\n\n',
    toSse([{ type: 'error', message: 'Bad key sk-secret' }]),
  ])('does not repeat a key that the server repeats (%j)', async body => {
    const parts = await readParts(toBytes(body), {
      errorContext: {
        url: 'http://server.test/v1/responses',
        requestBody: {},
        redact: text => text.replaceAll('sk-secret', '[redacted]'),
      },
    });
    const error = errorOf(parts);
    expect(error.message).toContain('Bad key [redacted]');
    expect(
      JSON.stringify([error.message, error.data, error.responseBody, String(error.cause)]),
    ).not.toContain('sk-secret');
  });
});
