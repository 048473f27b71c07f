import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { functionCall, message, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { callHostile, type HostileOutcome, writeChunks, serveChunks } from './_hostile.js';

const BLOCK = 'x'.repeat(65_536);
const GIGABYTE = 16_384;

const event = (fields: { type: string; [field: string]: unknown }) => toSse([fields]);
const completed = toSse(toStream([message(['Hi'])]).slice(-1));

/** Checks that the call failed with this message and that the memory of the process hardly grew. */
function expectFailure(outcome: HostileOutcome, message: RegExp): void {
  expect(outcome.error).toMatchObject({ name: 'AI_APICallError' });
  expect(outcome.error?.message).toMatch(message);
  // Megabytes, of a gigabyte or more that the endpoint would send. A busy machine collects garbage late.
  expect(outcome.memory).toBeLessThan(320);
}

const TOO_LONG = /with at most 67,108,864 characters in one event, got more/;

describe('an endpoint that never stops sending', () => {
  it.each([
    ['a line', { start: 'data: ', chunk: BLOCK, times: GIGABYTE }],
    ['a comment', { start: ': ', chunk: BLOCK, times: GIGABYTE }],
    ['an event of many lines', { start: 'event: x\n', chunk: `data: ${BLOCK}\n` }],
    ['zeros', { chunk: Buffer.alloc(65_536), times: GIGABYTE }],
  ])('is stopped at a limit: %s', async (_, source) => {
    expectFailure(await callHostile(await serveChunks(source)), TOO_LONG);
  });

  it('is stopped at a limit: a gzip bomb', async () => {
    const server = await serve(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const gzip = createGzip({ level: 9 });
      gzip.pipe(response);
      response.once('close', () => gzip.destroy());
      return writeChunks(gzip, { chunk: Buffer.alloc(65_536), times: GIGABYTE });
    });
    expectFailure(await callHostile(server), TOO_LONG);
  });

  it.each([
    ['stream', 'text/event-stream', /with at most 67,108,864 characters of JSON, got more/],
    ['generate', 'application/json', /with at most 67,108,864 characters of JSON, got more/],
    ['embed', 'application/json', /at most 67108864 characters of JSON from .*, got more/],
  ] as const)('is stopped at a limit: a JSON document (%s)', async (mode, contentType, message) => {
    const server = await serveChunks(
      { start: '{"output":"', chunk: BLOCK, times: GIGABYTE },
      { contentType },
    );
    expectFailure(await callHostile(server, { mode }), message);
  });

  it('is stopped at a limit: tool arguments', async () => {
    const [created, added] = toStream([functionCall('f', '{}')]);
    const server = await serveChunks({
      start: toSse([created, added].filter(one => one !== undefined)),
      chunk: event({
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 0,
        delta: BLOCK,
      }),
    });
    expectFailure(await callHostile(server), /characters of text and tool arguments, got more/);
  });

  it('is read only up to the limit of an error: an error body', async () => {
    let sent = 0;
    const chunk = (number: number) => {
      sent = number;
      return BLOCK;
    };
    const server = await serveChunks({ chunk }, { status: 500, contentType: 'text/plain' });
    const outcome = await callHostile(server);
    expectFailure(outcome, /returned status 500: x{200}$/);
    // An error needs two blocks; the sockets buffer a few dozen.
    expect(sent).toBeLessThan(1_000);
  });

  it.each([
    [
      'comments',
      { chunk: ': here\n\n'.repeat(1_000) },
      { total: 1_500 },
      /no complete response within 1500 ms/,
    ],
    ['white space', { chunk: ' \n'.repeat(1_000) }, { total: 1_500 }, /no complete response within 1500 ms/],
  ])('is stopped at the total timeout: %s', async (_, source, timeouts, message) => {
    const outcome = await callHostile(await serveChunks(source), { settings: { timeouts } });
    expectFailure(outcome, message);
    expect(outcome.error?.isRetryable).toBe(false);
  });
});

describe('an endpoint that hardly sends', () => {
  it.each([
    ['nothing, not even headers', { connect: 200 }, false, /no response within 200 ms \(timeouts.connect\)/],
    ['one byte at a time', { total: 400 }, true, /no complete response within 400 ms \(timeouts.total\)/],
    ['one byte and then nothing', { idle: 200 }, false, /nothing for 200 ms \(timeouts.idle\)/],
  ])('is stopped at its timeout: %s', async (title, timeouts, sendsMore, message) => {
    const server = await serve(response => {
      if (title.startsWith('nothing')) return;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':');
      const timer = setInterval(() => sendsMore && response.write('x'), 20);
      response.once('close', () => clearInterval(timer));
    });
    expectFailure(await callHostile(server, { settings: { timeouts } }), message);
  });
});

describe('an endpoint that sends a lot', () => {
  it('is read completely: a million events', async () => {
    const server = await serveChunks({
      start: toSse(toStream([message(['Hi'])]).slice(0, 2)),
      chunk: event({
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        delta: 'x',
      }).repeat(1_000),
      times: 1_000,
      end: toSse(toStream([message(['x'.repeat(1_000_000)])]).slice(-1)),
    });
    const outcome = await callHostile(server);
    expect(outcome).toMatchObject({ finishReason: 'stop', characters: 1_000_000 });
    expect(outcome.memory).toBeLessThan(256);
  });

  it.each([
    ['finished', (number: number) => number, ['added', 'done']],
    ['unfinished', (number: number) => number, ['added']],
    ['with the same index', () => 0, ['added', 'done']],
  ] as const)('is stopped after ten thousand of a million output items, %s', async (_, toIndex, steps) => {
    let sent = 0;
    const server = await serveChunks({
      chunk: number => {
        sent = number;
        return steps
          .map(step =>
            event({
              type: `response.output_item.${step}`,
              output_index: toIndex(number),
              item: { type: 'message', id: `msg_${number}`, content: [{ type: 'output_text', text: 'x' }] },
            }),
          )
          .join('');
      },
      times: 1_000_000,
      end: completed,
    });
    const outcome = await callHostile(server);
    expectFailure(outcome, /with at most 10,000 output items, got more/);
    expect(sent).toBeLessThan(200_000);
  });

  it('is read in linear time: ten thousand calls, repeated at the end', async () => {
    const control = await callWithCalls(2_500);
    const outcome = await callWithCalls(10_000);
    expect(outcome).toMatchObject({ finishReason: 'tool-calls' });
    // Four times as many calls: comparing each pair of calls would take sixteen times as long.
    expect(outcome.cpuTime / control.cpuTime).toBeLessThan(10);
    expect(outcome.memory).toBeLessThan(256);
  });
});

/** Starts a server that sends this many calls, each twice: as an item and in the terminal response. */
async function callWithCalls(count: number): Promise<HostileOutcome> {
  const items = Array.from({ length: count }, (_, number) => ({
    type: 'function_call',
    id: `fc_${number}`,
    call_id: `call_${number}`,
    name: 'f',
    arguments: `{"n":${number}}`,
    status: 'completed',
  }));
  const server = await serveChunks({
    chunk: number => event({ type: 'response.output_item.done', output_index: number, item: items[number] }),
    times: count,
    end: event({
      type: 'response.completed',
      response: { id: 'resp', status: 'completed', output: items },
    }),
  });
  return callHostile(server);
}
