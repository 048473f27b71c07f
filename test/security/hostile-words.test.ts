import { generateText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { serve, serveBody, serveJson } from '../_server.js';
import { toSse } from '../_sse.js';
import { modelAt, prompt, rejectionOf } from '../responses/_model.js';
import { functionCall, message, toResponse, toStream } from '../responses/stream/_fixtures/wire-events.js';

const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202egpj';

describe('control characters', () => {
  it('in the text of a model reach the host unchanged', async () => {
    const server = await serveJson(toResponse([message([ESCAPES])]));
    const { content } = await modelAt(server).doGenerate({ prompt });
    expect(content).toMatchObject([{ type: 'text', text: ESCAPES }]);
  });

  it.each([
    ['an error', serveJson, { error: { message: `Bad${ESCAPES}` } }, 400],
    ['plain text', serveBody, `Bad${ESCAPES}`, 500],
    ['a web page', serveBody, `<html>Bad${ESCAPES}`, 200],
    ['a stream without events', serveBody, `data: Bad${ESCAPES}\n\n`, 200],
    ['an error event', serveBody, toSse([{ type: 'error', message: `Bad${ESCAPES}` }]), 200],
    ['the name of an event', serveBody, toSse([{ type: `Bad${ESCAPES}` }]), 200],
  ] as const)('are escaped in the error message for %s', async (_, start, body, status) => {
    const server = await start(body as never, { status });
    const { message } = await rejectionOf(modelAt(server).doStream({ prompt }));
    expect(message).toContain('Bad');
    expect(message).toContain('\\u001b');
    expect(message).toContain('\\u202e');
    expect(message).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('are escaped in a truncated message, which keeps its line feeds', async () => {
    const server = await serveJson(
      { error: { message: `one\r\ntwo ${'x'.repeat(50_000)}` } },
      { status: 400 },
    );
    const { message } = await rejectionOf(modelAt(server).doStream({ prompt }));
    expect(message).toMatch(/^one\ntwo x+…$/);
    expect(message.length).toBeLessThan(2_100);
  });
});

describe('names of object properties', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

  it.each(NAMES)('are ignored as types, codes and ids: %s', async name => {
    const own = JSON.parse(`{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`);
    const events = [
      { ...own, type: name },
      { type: 'response.output_item.added', output_index: 0, item: { ...own, type: name, id: name } },
      { type: 'response.output_item.done', output_index: 0, item: { ...own, type: name, id: name } },
      { type: 'error', ...own, code: name, message: 'No.' },
    ];
    const { stream } = await modelAt(await serveBody(toSse(events))).doStream({ prompt });
    const parts: { type: string; error?: unknown }[] = [];
    for await (const part of stream) parts.push(part);
    expect(parts.find(({ type }) => type === 'error')?.error).toMatchObject({
      message: 'No.',
      isRetryable: true,
    });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' });
    expect(Object(parts.find(({ type }) => type === 'error')?.error).statusCode).toBeUndefined();
    expect({}).not.toHaveProperty('polluted');
  });

  it.each(NAMES)('are rejected as unknown tool names: %s', async name => {
    let runs = 0;
    const answers = [toResponse([functionCall(name, '{}')]), toResponse([message(['Done'])])];
    const server = await serve(response => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers.shift()));
    });
    const tools = { count: tool({ inputSchema: z.object({}), execute: () => ++runs }) };
    const provider = createKelivoResponsesProvider({ baseURL: server.url, tools });
    const { content } = await provider('m').doGenerate({ prompt });
    expect(content).toMatchObject([{ type: 'text', text: 'Done' }]);
    expect(runs).toBe(0);
    expect(Object(server.requests.at(-1)?.body).input.at(-1)).toMatchObject({
      type: 'function_call_output',
      output: JSON.stringify({ error: `There is no tool "${name}". Available tools: count.` }),
    });
  });

  it('prevent a call from running if its arguments contain them, and the model receives the reason', async () => {
    const input = '{"a":1,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const answers = [toStream([functionCall('look', input)]), toStream([message(['Done'])])];
    const server = await serve(response => {
      const events = answers.shift() ?? [];
      const last = Object(events.at(-1)).response;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(last));
    });
    const seen: unknown[] = [];
    const tools = {
      look: tool({
        inputSchema: z.looseObject({ a: z.number() }),
        execute: args => {
          seen.push(args);
          return 'It ran.';
        },
      }),
    };
    const provider = createKelivoResponsesProvider({ baseURL: server.url, tools });
    const { text } = await generateText({ model: provider('m'), prompt: 'Look' });
    expect(text).toBe('Done');
    expect(seen).toEqual([]);
    expect({}).not.toHaveProperty('polluted');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Invalid arguments for tool');
  });
});

it('an invalid creation time is omitted', async () => {
  const events = toStream([message(['Hi'])]).map(event =>
    'response' in event ? { ...event, response: { ...Object(event.response), created_at: 1e300 } } : event,
  );
  const { stream } = await modelAt(await serveBody(toSse(events))).doStream({ prompt });
  for await (const part of stream)
    if (part.type === 'response-metadata') expect(part.timestamp).toBeUndefined();
  expect.hasAssertions();
});
