import { describe, expect, it } from 'vitest';
import { createRecordingFetch } from '../../../playground/server/turn/recording-fetch.js';
import { createRedactor } from '../../../playground/server/redaction/redactor.js';
import type { TraceFact } from '../../../playground/shared/trace-event.js';
import { forEachChunking } from '../../_chunking.js';
import { serve, serveJson } from '../../_server.js';

const SECRET = 'canary-secret-0123456789';

function record(fetch?: typeof globalThis.fetch) {
  const facts: TraceFact[] = [];
  const recording = createRecordingFetch({
    record: fact => facts.push(fact),
    redactor: createRedactor(() => [SECRET]),
    currentRound: () => 3,
    fetch,
  });
  const ofType = <Type extends TraceFact['type']>(type: Type) =>
    facts.filter((fact): fact is Extract<TraceFact, { type: Type }> => fact.type === type);
  return { recording, facts, ofType };
}

const stream =
  'event: response.created\ndata: {"type":"response.created","n":1}\n\n: comment\n\n' +
  `data: {"type":"response.output_text.delta","delta":"é ${SECRET}"}\n\ndata: [DONE]\n\n`;

describe('the recording fetch', () => {
  forEachChunking('records the events of a stream and forwards its bytes unchanged', stream, async chunks => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const { recording, ofType } = record(
      async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
    const response = await recording('http://127.0.0.1/v1/responses', { method: 'POST', body: '{}' });

    expect(await response.text()).toBe(stream);
    expect(ofType('wire').map(({ name, data }) => [name, data])).toEqual([
      ['response.created', { type: 'response.created', n: 1 }],
      ['response.output_text.delta', { type: 'response.output_text.delta', delta: `é ${SECRET}` }],
      ['message', '[DONE]'],
    ]);
    expect(ofType('exchange-end')).toEqual([{ type: 'exchange-end', exchange: 1, end: 'complete' }]);
  });

  it('records keys neither in the URL nor in headers and error bodies, and everything else as it is', async () => {
    const server = await serveJson({ error: { message: `Wrong key ${SECRET}` } }, { status: 401 });
    const { recording, facts, ofType } = record();
    const response = await recording(`${server.url}/v1/responses?key=${SECRET}`, {
      method: 'POST',
      headers: { authorization: 'Bearer other-0123456789', 'x-api-key': 'k', 'x-note': SECRET },
      body: JSON.stringify({ model: 'm', input: `Say ${SECRET}` }),
    });
    await response.text();

    expect(ofType('request')).toMatchObject([
      {
        round: 3,
        url: `${server.url}/v1/responses?key=[redacted]`,
        headers: { authorization: '[redacted]', 'x-api-key': '[redacted]', 'x-note': '[redacted]' },
        body: { model: 'm', input: `Say ${SECRET}` },
      },
    ]);
    expect(ofType('response')).toMatchObject([{ status: 401 }]);
    expect(ofType('body')).toMatchObject([{ text: '{"error":{"message":"Wrong key [redacted]"}}' }]);
    expect(JSON.stringify(facts)).not.toContain('other-0123');
    expect(server.requests[0]?.body).toEqual({ model: 'm', input: `Say ${SECRET}` });
  });

  it('records an aborted response once and closes the connection', async () => {
    const server = await serve(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
    });
    const { recording, ofType } = record();
    const response = await recording(server.url, { method: 'POST', body: '{}' });
    await response.body?.cancel();

    expect(await server.requests[0]?.closed).toEqual({ complete: false });
    expect(ofType('exchange-end')).toMatchObject([{ end: 'aborted' }]);
  });

  it('distinguishes a failed request from an aborted one', async () => {
    const { recording, ofType } = record();
    await expect(recording('http://127.0.0.1:1/', { method: 'POST' })).rejects.toThrow();
    await expect(recording('http://127.0.0.1:1/', { signal: AbortSignal.abort() })).rejects.toThrow();

    expect(ofType('exchange-end').map(({ end }) => end)).toEqual(['broken', 'aborted']);
  });

  it('truncates long strings', async () => {
    const server = await serveJson({});
    const { recording, ofType } = record();
    await recording(server.url, { method: 'POST', body: JSON.stringify({ image: 'A'.repeat(30_000) }) });

    expect(JSON.stringify(ofType('request')[0]?.body)).toMatch(/A{20000}… \(10000 more characters\)/);
  });
});
