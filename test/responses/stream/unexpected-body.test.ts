import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { errorOf, hello, RATE_LIMIT, toBytes } from './_broken.js';
import { message, toResponse } from './_fixtures/wire-events.js';

const chatChunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'Hi' } }],
};

describe('a body that is not a response of the Responses API', () => {
  forEachChunking(
    'reports chat completions of an Azure deployment as one clear error',
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

  it('reports an error event that is sent as a document', async () => {
    const body = { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.' };
    const error = errorOf(await readParts(toBytes(JSON.stringify(body))));
    expect(error).toMatchObject({ message: 'Slow down.', statusCode: 429, isRetryable: true });
  });

  it.each(['queued', 'in_progress'])('reads a document with content and the status %s', async status => {
    const body = { ...toResponse([message(['Hello.'])]), status };
    const { texts, errors, finishReason } = summarize(await readParts(toBytes(JSON.stringify(body))));
    expect({ texts, errors, finishReason }).toEqual({ texts: ['Hello.'], errors: [], finishReason: 'other' });
    const empty = await readParts(toBytes(JSON.stringify({ ...body, output: [] })));
    expect(errorOf(empty).message).toContain('to end with "response.completed"');
  });

  const page =
    '<!DOCTYPE html>\n<html><head><title>Sign in to Example</title></head><body>Please sign in.</body></html>';

  forEachChunking('quotes the beginning of a web page', `\n${page}`, async chunks => {
    const error = errorOf(await readParts(chunks));
    expect(error.message).toMatch(/got a web page: "<!DOCTYPE html> <html><head><title>Sign in to Example/);
    expect(error.message).toMatch(/Check that `baseURL` is the API root/);
    expect(error.isRetryable).toBe(false);
  });

  it.each(['', '\n\r\n \n'])('reports an empty body (%j)', async body => {
    const error = errorOf(await readParts(toBytes(body)));
    expect(error.message).toMatch(
      /to end with "response.completed", but the body was empty\. Check that `baseURL`/,
    );
  });

  forEachChunking(
    'reports comments without events as an empty body',
    ': ping\n\n: ping\n\n',
    async chunks => {
      expect(errorOf(await readParts(chunks)).message).toContain('the body was empty');
    },
  );

  forEachChunking(
    'quotes invalid JSON',
    '{"id":"resp_1","object":"response","output":[{"type',
    async chunks => {
      const error = errorOf(await readParts(chunks));
      expect(error.message).toContain('got an invalid JSON document: "{\\"id\\":\\"resp_1\\"');
      expect(error.message).toMatch(/Check that `baseURL`/);
    },
  );

  it.each(['{"status":"ok"}', '["ok"]', '{"models":[]}'])('quotes other JSON (%s)', async body => {
    const error = errorOf(await readParts(toBytes(body)));
    expect(error.message).toContain(`got other JSON: ${JSON.stringify(body)}`);
    expect(error.isRetryable).toBe(false);
  });

  it('reports an error in a JSON document', async () => {
    const error = errorOf(await readParts(toBytes(JSON.stringify({ error: RATE_LIMIT }))));
    expect(error).toMatchObject({ message: 'Slow down.', statusCode: 429, isRetryable: true });
  });

  it('quotes plain text', async () => {
    const error = errorOf(await readParts(toBytes('data: upstream gone\n\n')));
    expect(error.message).toContain('the body contained no event and began with "upstream gone"');
  });

  it('counts data lines without an event and continues to read', async () => {
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
  ])('redacts a key that the server repeats (%j)', async body => {
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
