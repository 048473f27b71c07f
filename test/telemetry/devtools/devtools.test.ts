import http from 'node:http';
import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { streamText, wrapLanguageModel } from 'ai';
import { generateText as generateText7, tool as tool7 } from 'ai7';
import { MockLanguageModelV4 } from 'ai7/test';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { devTools } from '../../../src/telemetry/devtools/index.js';
import type { PlainObject } from '../../../src/core/shared/json.js';
import { findFreePort } from '../../_free-port.js';
import { serve } from '../../_server.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const finish: LanguageModelV2StreamPart = {
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

/** A model whose stream is always the same object. */
function createModel(parts: readonly LanguageModelV2StreamPart[] = [finish]) {
  const cancelled: unknown[] = [];
  const left = [...parts];
  const stream = new ReadableStream<LanguageModelV2StreamPart>(
    {
      pull(controller) {
        const part = left.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
      cancel: reason => void cancelled.push(reason),
    },
    { highWaterMark: 0 },
  );
  const result = { stream };
  const model: LanguageModelV2 = {
    specificationVersion: 'v2',
    provider: 'test',
    modelId: 'model',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: async () => result,
  };
  return { model, stream, cancelled, left };
}

/** Runs a call through the middleware. */
const call = (model: LanguageModelV2, middleware = devTools()) =>
  wrapLanguageModel({ model, middleware }).doStream({ prompt: [] });

interface Message extends PlainObject {
  readonly type: string;
  readonly toolName?: string;
}

/** A playground that receives batches. */
async function startReceiver(hold?: Promise<void>) {
  const server = await serve(async response => {
    await hold;
    response.end('{}');
  });
  return {
    url: `${server.url}/send/secret`,
    requests: server.requests,
    batches: () => server.requests.map(({ body }) => body as { lost: number; messages: Message[] }),
  };
}

it.each([
  ['without an address', {}, {}],
  ['in production', { KELIVO_PLAYGROUND_URL: 'http://127.0.0.1:9/send/x', NODE_ENV: 'production' }, {}],
  ['if it is disabled', { KELIVO_PLAYGROUND_URL: 'http://127.0.0.1:9/send/x' }, { enabled: false }],
  ['with an address that is none', { KELIVO_PLAYGROUND_URL: 'playground' }, {}],
])('adds no call, no copy and no request %s', async (_, environment, options) => {
  vi.stubEnv('KELIVO_PLAYGROUND_URL', undefined);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const requested = vi.spyOn(http, 'request');
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { model, stream } = createModel();

  expect((await call(model, devTools(options))).stream).toBe(stream);
  expect([devTools(options), devTools.telemetry(options)]).toEqual([{ specificationVersion: 'v3' }, {}]);
  expect([requested.mock.calls.length, timers.mock.calls.length]).toEqual([0, 0]);
});

it('names the setting if its address is none', () => {
  expect(() => devTools({ url: 'playground' })).toThrow(
    'Expected `url` to be the address that the playground',
  );
});

it('is on in production if it is enabled', () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(devTools({ url: 'http://127.0.0.1:9/send/x', enabled: true })).toHaveProperty('wrapStream');
});

it('sends what a call does, with its token in a header', async () => {
  const { url, requests, batches } = await startReceiver();
  const { model } = createModel([{ type: 'text-delta', id: '1', delta: 'Hello' }, finish]);
  const { stream } = await call(model, devTools({ url, name: 'test' }));
  for await (const _ of stream) void _;

  const types = () => batches().flatMap(({ messages }) => messages.map(({ type }) => type));
  await expect.poll(types).toEqual(['call-start', 'response', 'part', 'part', 'call-end']);
  expect(requests[0]?.headers.authorization).toBe('Bearer secret');
  expect(requests[0]?.path).toBe('/v1/devtools');
  expect(requests[0]?.body).toMatchObject({ app: { name: 'test', process: process.pid } });
});

it('sends the tools of `ai` 7 with their outcome', async () => {
  const { url, batches } = await startReceiver();
  const call = (toolCallId: string, toolName: string) =>
    ({ type: 'tool-call', toolCallId, toolName, input: '{}' }) as const;
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const inputSchema = z.object({});
  await generateText7({
    model: new MockLanguageModelV4({
      doGenerate: {
        content: [call('1', 'works'), call('2', 'fails')],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
    }),
    tools: {
      works: tool7({ inputSchema, execute: () => 'done' }),
      fails: tool7({
        inputSchema,
        execute: (): string => {
          throw new Error('broken');
        },
      }),
    },
    prompt: 'Go.',
    telemetry: { integrations: [devTools.telemetry({ url })] },
  });
  const ends = () => batches().flatMap(({ messages }) => messages.filter(({ type }) => type === 'tool-end'));
  await expect.poll(() => ends().length).toBe(2);
  expect(Object.fromEntries(ends().map(end => [end.toolName, end]))).toMatchObject({
    works: { toolCallId: '1', isError: false, output: 'done' },
    fails: { toolCallId: '2', isError: true },
  });
});

it('passes on parts, errors and cancellation as they are, and reads nothing ahead', async () => {
  const { url, batches } = await startReceiver();
  const middleware = devTools({ url });
  const failure = new Error('from the model');
  const failing = { ...createModel().model, doStream: () => Promise.reject(failure) };
  await expect(call(failing, middleware)).rejects.toBe(failure);

  const odd = Object.create(null) as object;
  await expect(call({ ...failing, doStream: () => Promise.reject(odd) }, middleware)).rejects.toBe(odd);
  const broken = await call(createModel([{ type: 'error', error: odd }, finish]).model, middleware);
  const types: string[] = [];
  for await (const { type } of broken.stream) types.push(type);
  expect(types).toEqual(['error', 'finish']);

  const first = { type: 'text-delta' as const, id: '1', delta: 'a' };
  const { model, cancelled, left } = createModel([first, finish, finish]);
  const reader = (await call(model, middleware)).stream.getReader();
  expect((await reader.read()).value).toBe(first);
  expect(left).toHaveLength(2);
  await reader.cancel('enough');
  expect(cancelled).toEqual(['enough']);

  const ends = () => batches().flatMap(({ messages }) => messages.filter(({ type }) => type === 'call-end'));
  await expect
    .poll(ends)
    .toMatchObject([
      { error: { message: 'from the model' } },
      { error: { message: 'The error has no text.' } },
      { call: expect.any(Number) },
      { call: expect.any(Number), isAborted: true },
    ]);
});

it('changes nothing and prints nothing if no playground runs, and stops asking for it', async () => {
  const port = await findFreePort();
  const printed = (['log', 'warn', 'error'] as const).map(name => vi.spyOn(console, name));
  const requested = vi.spyOn(http, 'request');
  const middleware = devTools({ url: `http://127.0.0.1:${port}/send/x` });
  const run = async () => {
    const model = wrapLanguageModel({ model: createModel([finish]).model, middleware });
    return streamText({ model, prompt: 'Hello' }).finishReason;
  };

  expect(await run()).toBe('stop');
  // Those of earlier tests may still send to their own receivers.
  const requests = () =>
    requested.mock.results.filter((_, index) =>
      String(requested.mock.calls[index]?.[0]).includes(`:${port}/`),
    );
  await expect.poll(() => requests()[0]?.value.closed).toBe(true);
  await new Promise(setImmediate);
  expect([await run(), await run()]).toEqual(['stop', 'stop']);
  expect(requests()).toHaveLength(1);
  expect(printed.flatMap(({ mock }) => mock.calls)).toEqual([]);
});

it('loses events of a playground that does not keep up, and says how many', async () => {
  // The playground answers when the test lets it, not within the time limit.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  let release = (): void => {};
  const { url, batches } = await startReceiver(new Promise(resolve => (release = resolve)));
  const middleware = devTools({ url });
  const deltas = Array.from({ length: 12_000 }, () => ({ type: 'text-delta' as const, id: '1', delta: 'a' }));
  // The first batch is on its way while the second one fills.
  await call(createModel().model, middleware);
  await expect.poll(() => batches().length).toBe(1);
  let received = 0;
  for await (const _ of (await call(createModel(deltas).model, middleware)).stream) received++;
  expect(received).toBe(12_000);
  // A later batch of another sender has arrived.
  const other = await startReceiver();
  await call(createModel().model, devTools({ url: other.url }));
  await expect.poll(() => other.batches().length).toBe(1);
  expect(batches()).toHaveLength(1);

  release();
  await expect.poll(() => batches().length).toBe(2);
  const [first, second] = batches();
  // The response, the end and 12,000 parts did not fit into 10,000 messages.
  expect([first?.lost, second?.lost, second?.messages.length]).toEqual([0, 2003, 10_000]);
});
