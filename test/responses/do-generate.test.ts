import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { summarizeContent } from '../_parts.js';
import { serve, serveBody, serveJson } from '../_server.js';
import { toSse } from '../_sse.js';
import { flushCallbacks, gate } from '../tool-loop/_tools.js';
import { modelAt, prompt, rejectionOf, serveBeginning } from './_model.js';
import { RESPONSE_FIXTURES } from './stream/_fixtures/responses.js';
import { message, toResponse, toStream } from './stream/_fixtures/wire-events.js';

describe('doGenerate', () => {
  for (const { title, events, response, expected } of RESPONSE_FIXTURES) {
    it(`returns the same for ${title} from a stream and a JSON document`, async () => {
      const fromJson = await modelAt(await serveJson(response)).doGenerate({ prompt });
      const fromStream = await modelAt(await serveBody(toSse(events))).doGenerate({ prompt });
      const byType = (content: typeof fromJson.content) =>
        content.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)));
      expect(byType(fromStream.content)).toEqual(byType(fromJson.content));
      const { content, request: _, response: __, ...rest } = fromJson;
      expect(fromStream).toMatchObject(rest);
      expect(fromJson.finishReason).toBe(expected.finishReason);
      expect(summarizeContent(content).texts).toEqual(expected.texts ?? []);
      expect(summarizeContent(content).calls).toHaveLength(expected.calls?.length ?? 0);
    });
  }

  it('requests no stream and returns the request and the response', async () => {
    const server = await serveJson(toResponse([message(['Hi'])]));
    const { request, response, warnings } = await modelAt(server).doGenerate({ prompt, seed: 1 });
    expect(server.requests[0]?.body).not.toHaveProperty('stream');
    expect(request?.body).toEqual(server.requests[0]?.body);
    expect(response).toMatchObject({
      id: 'resp_1',
      modelId: 'test-model-2025-06-15',
      timestamp: new Date(1_750_000_000_000),
      headers: { 'content-type': 'application/json' },
    });
    expect(warnings).toEqual([{ type: 'unsupported-setting', setting: 'seed' }]);
  });

  it('returns the body of the response without the key', async () => {
    const sent = toResponse([message(['Hi'])], { instructions: 'The key is sk-secret.' });
    const received = { ...sent, instructions: 'The key is [redacted].' };
    for (const server of [await serveJson(sent), await serveBody(toSse(toStream([message(['Hi'])], sent)))]) {
      const { response } = await modelAt(server).doGenerate({ prompt });
      expect(response?.body).toEqual(received);
    }
  });

  it('rejects with the error of a failed response', async () => {
    const body = toResponse([], { status: 'failed', error: { code: 'server_error', message: 'No.' } });
    const error = await rejectionOf(modelAt(await serveJson(body)).doGenerate({ prompt }));
    expect(error).toMatchObject({ message: 'No.', statusCode: 500, isRetryable: true });
  });

  it('rejects if the stream breaks after text', async () => {
    const error = await rejectionOf(
      modelAt(await serveBeginning(6, response => response.end())).doGenerate({ prompt }),
    );
    expect(error.message).toContain('to end with "response.completed"');
  });

  it('ignores `timeouts.connect`, because the status arrives with the response', async () => {
    const server = await serve(response => {
      setTimeout(() => response.end(JSON.stringify(toResponse([message(['Late'])]))), 80);
    });
    const { content } = await modelAt(server, { timeouts: { connect: 20, idle: 20 } }).doGenerate({ prompt });
    expect(summarizeContent(content).texts).toEqual(['Late']);
  });

  it('ends the request on abort and leaves no listener', async () => {
    const server = await serve(response => {
      response.writeHead(200).write('{"id":');
    });
    const controller = new AbortController();
    const begun = gate();
    const generating = Promise.resolve(
      modelAt(server, {
        async fetch(...parameters) {
          const response = await fetch(...parameters);
          begun.open();
          return response;
        },
      }).doGenerate({ prompt, abortSignal: controller.signal }),
    );
    generating.catch(() => {});
    await begun.opened;
    // The model reads the body.
    await flushCallbacks();
    controller.abort(new DOMException('Enough.', 'AbortError'));
    await expect(generating).rejects.toThrow('Enough.');
    expect(await server.requests[0]?.closed).toEqual({ complete: false });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

/** A stream and a document may order interleaved calls differently. */
const sortKey = (part: { type: string }): string =>
  `${part.type} ${'toolCallId' in part ? part.toolCallId : ''}`;
