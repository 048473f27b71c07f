import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { functionCall, message, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { callHostile, type HostileOutcome, pour, servePouring } from './_hostile.js';

const BLOCK = 'x'.repeat(65_536);
const GIGABYTE = 16_384;

const event = (fields: { type: string; [field: string]: unknown }) => toSse([fields]);
const completed = toSse(toStream([message(['Hi'])]).slice(-1));

/** The call failed with an error that says why, and the process hardly grew. */
function expectRefusal(outcome: HostileOutcome, message: RegExp): void {
  expect(outcome.error).toMatchObject({ name: 'AI_APICallError' });
  expect(outcome.error?.message).toMatch(message);
  expect(outcome.memory).toBeLessThan(256);
}

const TOO_LONG = /with at most 67,108,864 characters in one event, got more/;

describe('an endpoint that sends without end', () => {
  it.each([
    ['a line', { start: 'data: ', piece: BLOCK, times: GIGABYTE }],
    ['a comment', { start: ': ', piece: BLOCK, times: GIGABYTE }],
    ['an event of many lines', { start: 'event: x\n', piece: `data: ${BLOCK}\n` }],
    ['zeros', { piece: Buffer.alloc(65_536), times: GIGABYTE }],
  ])('is given up at a limit: %s', async (_, pouring) => {
    expectRefusal(await callHostile(await servePouring(pouring)), TOO_LONG);
  });

  it('is given up at a limit: a gzip bomb', async () => {
    const server = await serve(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const gzip = createGzip({ level: 9 });
      gzip.pipe(response);
      response.once('close', () => gzip.destroy());
      return pour(gzip, { piece: Buffer.alloc(65_536), times: GIGABYTE });
    });
    expectRefusal(await callHostile(server), TOO_LONG);
  });

  it.each([
    ['stream', 'text/event-stream', /with at most 67,108,864 characters of JSON, got more/],
    ['generate', 'application/json', /with at most 67,108,864 characters of JSON, got more/],
    ['embed', 'application/json', /at most 67108864 characters of JSON from .*, got more/],
  ] as const)('is given up at a limit: a JSON document (%s)', async (mode, contentType, message) => {
    const server = await servePouring(
      { start: '{"output":"', piece: BLOCK, times: GIGABYTE },
      { contentType },
    );
    expectRefusal(await callHostile(server, { mode }), message);
  });

  it('is given up at a limit: tool arguments', async () => {
    const [created, added] = toStream([functionCall('f', '{}')]);
    const server = await servePouring({
      start: toSse([created, added].filter(one => one !== undefined)),
      piece: event({
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 0,
        delta: BLOCK,
      }),
    });
    expectRefusal(await callHostile(server), /characters of text and tool arguments, got more/);
  });

  it('is read no further than an error needs: an error body', async () => {
    const server = await servePouring({ piece: BLOCK }, { status: 500, contentType: 'text/plain' });
    const outcome = await callHostile(server);
    expectRefusal(outcome, /answered 500: x{200}$/);
    expect(outcome.milliseconds).toBeLessThan(5_000);
  });

  it.each([
    [
      'comments',
      { piece: ': here\n\n'.repeat(1_000) },
      { total: 1_500 },
      /no complete response within 1500 ms/,
    ],
    ['white space', { piece: ' \n'.repeat(1_000) }, { total: 1_500 }, /no complete response within 1500 ms/],
  ])('ends at the total time limit: %s', async (_, pouring, timeouts, message) => {
    const outcome = await callHostile(await servePouring(pouring), { settings: { timeouts } });
    expectRefusal(outcome, message);
    expect(outcome.error?.isRetryable).toBe(false);
  });
});

describe('an endpoint that hardly sends', () => {
  it.each([
    ['nothing, not even headers', { connect: 200 }, false, /no answer within 200 ms \(timeouts.connect\)/],
    ['one byte at a time', { total: 400 }, true, /no complete response within 400 ms \(timeouts.total\)/],
    ['one byte, and then none', { idle: 200 }, false, /nothing for 200 ms \(timeouts.idle\)/],
  ])('ends at its time limit: %s', async (title, timeouts, isDripping, message) => {
    const server = await serve(response => {
      if (title.startsWith('nothing')) return;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':');
      const drip = setInterval(() => isDripping && response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    });
    expectRefusal(await callHostile(server, { settings: { timeouts } }), message);
  });
});

describe('an endpoint that sends a lot', () => {
  it('is read to its end: a million events', async () => {
    const server = await servePouring({
      start: toSse(toStream([message(['Hi'])]).slice(0, 2)),
      piece: event({
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        delta: 'x',
      }).repeat(1_000),
      times: 1_000,
      end: completed,
    });
    const outcome = await callHostile(server);
    expect(outcome).toMatchObject({ finishReason: 'stop', characters: 1_000_000 });
    expect(outcome.memory).toBeLessThan(256);
  }, 60_000);

  it.each([
    ['finished', (number: number) => number, ['added', 'done']],
    ['left open', (number: number) => number, ['added']],
    ['all at one place', () => 0, ['added', 'done']],
  ] as const)('is given up after ten thousand of a million output items, %s', async (_, toIndex, steps) => {
    const server = await servePouring({
      piece: number =>
        steps
          .map(step =>
            event({
              type: `response.output_item.${step}`,
              output_index: toIndex(number),
              item: { type: 'message', id: `msg_${number}`, content: [{ type: 'output_text', text: 'x' }] },
            }),
          )
          .join(''),
      times: 1_000_000,
      end: completed,
    });
    const outcome = await callHostile(server);
    expectRefusal(outcome, /with at most 10,000 output items, got more/);
    expect(outcome.milliseconds).toBeLessThan(5_000);
  });

  it('is read in linear time: ten thousand calls, told again at the end', async () => {
    const items = Array.from({ length: 10_000 }, (_, number) => ({
      type: 'function_call',
      id: `fc_${number}`,
      call_id: `call_${number}`,
      name: 'f',
      arguments: `{"n":${number}}`,
      status: 'completed',
    }));
    const server = await servePouring({
      piece: number =>
        event({ type: 'response.output_item.done', output_index: number, item: items[number] }),
      times: 10_000,
      end: event({
        type: 'response.completed',
        response: { id: 'resp', status: 'completed', output: items },
      }),
    });
    const outcome = await callHostile(server);
    expect(outcome).toMatchObject({ finishReason: 'tool-calls' });
    // Where each is compared with each other it takes a minute.
    expect(outcome.milliseconds).toBeLessThan(8_000);
    expect(outcome.memory).toBeLessThan(256);
  });
});

describe('JSON that is nested deep', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const TOO_DEEP = /at most 512 arrays and objects in each other/;

  it.each([
    ['an event', `data: {"type":"response.failed","response":{"error":${deep(100_000)}}}\n\n`],
    ['an item of an unknown tool', `data: {"type":"response.output_item.done","item":${deep(100_000)}}\n\n`],
    ['a whole answer', `{"object":"response","output":${deep(100_000)}}`],
    ['one that is never closed', `data: ${'['.repeat(10_000_000)}\n\n`],
  ])('is an error: %s', async (_, piece) => {
    expectRefusal(await callHostile(await servePouring({ piece, times: 1 })), TOO_DEEP);
  });

  it('is an error in the arguments of a call', async () => {
    const body = toSse(toStream([functionCall('f', `{"a":${deep(100_000)}}`)]));
    const outcome = await callHostile(await servePouring({ piece: body, times: 1 }));
    expectRefusal(outcome, /in each other in the arguments of a call/);
    expect(outcome.finishReason).toBe('error');
  });

  it('leaves the status of an error what it is', async () => {
    const server = await servePouring({ piece: deep(30_000), times: 1 }, { status: 503 });
    expectRefusal(await callHostile(server), /answered 503: \[/);
  });
});
