import { gzipSync } from 'node:zlib';
import { createOpenAI } from '@ai-sdk/openai';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { createTelemetry } from 'kelivo-responses/telemetry';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { createApps } from '../../../playground/server/apps/apps.js';
import { createSpanReceiver } from '../../../playground/server/otlp/receiver.js';
import { readJsonSpans } from '../../../playground/server/otlp/spans.js';
import { createRedactor } from '../../../playground/server/redaction/redactor.js';
import {
  type AppTurnRecord,
  createConversationStore,
} from '../../../playground/server/store/conversations.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import { toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';
import {
  filterTraces,
  noFilter,
  type TraceFilter,
  type TraceSummary,
} from '../../../playground/shared/trace-summary.js';
import { useRecorder } from '../../telemetry/_recorder.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground, type TestPlayground } from './_playground.js';
import { secretTexts } from './_secrets.js';

const recorder = useRecorder();

/** Sends an export request with the printed variables, as an exporter does. */
async function send(playground: TestPlayground, body: Uint8Array, more: Record<string, string>) {
  const [, endpoint = '', name = '', value = ''] =
    /^OTEL_EXPORTER_OTLP_ENDPOINT=(\S+) OTEL_EXPORTER_OTLP_HEADERS=(\w+)=(\S+)$/.exec(
      playground.otlpVariables,
    ) ?? [];
  const response = await fetch(`${endpoint}/v1/traces`, {
    method: 'POST',
    headers: { [name]: decodeURIComponent(value), ...more },
    body: new Uint8Array(body),
  });
  return { status: response.status, text: await response.text() };
}

const sendJson = (playground: TestPlayground, request: object) =>
  send(playground, Buffer.from(JSON.stringify(request)), { 'content-type': 'application/json' });

async function readTurns({ call }: TestPlayground) {
  const summaries = (await call('/api/traces')).json as readonly TraceSummary[];
  const traces = summaries.map(async ({ messageId }) => {
    const { json } = await call(`/api/traces/${messageId}`);
    return toTrace((json as { events: readonly TraceEvent[] }).events);
  });
  return { summaries, traces: await Promise.all(traces) };
}

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ inputSchema, execute: ({ a, b }) => a + b });
const question = 'Call add with 17 and 25.';

it('receives spans of `ai` in protobuf with gzip', async () => {
  const emulator = await startEmulator();
  const playground = await openPlayground();
  const model = createOpenAI({ baseURL: emulator.baseURL, apiKey: 'none' })('gpt-5');
  const stopWhen = stepCountIs(5);
  const telemetry = { experimental_telemetry: { isEnabled: true } };
  await streamText({ model, prompt: question, tools: { add }, stopWhen, ...telemetry }).consumeStream();
  const body = gzipSync(ProtobufTraceSerializer.serializeRequest(recorder.spans) ?? '');
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };

  expect(await send(playground, body, headers)).toEqual({ status: 200, text: '' });
  const { summaries, traces } = await readTurns(playground);
  expect(summaries).toMatchObject([
    {
      title: question,
      modelId: 'gpt-5',
      app: { name: expect.any(String) },
      end: 'finished',
      tools: [{ toolName: 'add', calls: 1 }],
      firstTokenAt: expect.any(Number),
      tokens: expect.any(Number),
    },
  ]);
  expect(traces[0]?.rounds.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
  expect(traces[0]?.tools).toMatchObject([{ toolName: 'add', round: 1, input: '{"a":17,"b":25}' }]);
});

it('receives spans of this package in JSON: the rounds of its provider, once', async () => {
  const emulator = await startEmulator();
  const playground = await openPlayground();
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'none',
    tools: { add: { inputSchema, execute: ({ a, b }: z.infer<typeof inputSchema>) => a + b } },
    telemetry: createTelemetry({ recordInputs: true, recordOutputs: true }),
  });
  await generateText({
    model: provider('gpt-5'),
    prompt: question,
    experimental_telemetry: { isEnabled: true },
  });
  await provider.close();
  const body = JsonTraceSerializer.serializeRequest(recorder.spans) ?? new Uint8Array();

  expect(await send(playground, body, { 'content-type': 'application/json' })).toEqual({
    status: 200,
    text: '{}',
  });
  const { summaries, traces } = await readTurns(playground);
  expect(summaries).toMatchObject([
    { title: question, end: 'finished', tools: [{ toolName: 'add', calls: 1 }] },
  ]);
  expect(traces[0]?.rounds).toHaveLength(2);
  // It is stored when the playground ends.
  await playground.close();
  const restarted = await openPlayground({ folder: playground.folder });
  expect((await readTurns(restarted)).summaries).toMatchObject([{ title: question, end: 'finished' }]);
});

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

/** A span of the conventions for generative AI. */
const toSpan = (spanId: string, name: string, attributes: object[], more: object = {}) => ({
  traceId: 'a'.repeat(32),
  spanId: spanId.repeat(16),
  name,
  startTimeUnixNano: '1800000000000000000',
  endTimeUnixNano: '1800000001000000000',
  attributes,
  ...more,
});

const toRequest = (...spans: unknown[]) => ({
  resourceSpans: [
    { resource: { attributes: [text('service.name', 'shop')] }, scopeSpans: [{ scope: {}, spans }] },
  ],
});

it('reads the conventions, and loses a malformed span alone', async () => {
  const playground = await openPlayground();
  const secret = secretTexts[0] ?? '';
  const messages = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: `Buy ${secret}` }] }]);
  const chat = toSpan(
    'b',
    'chat gpt-5',
    [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', 'gpt-5'),
      text('gen_ai.input.messages', messages),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '7' } },
      { key: 'gen_ai.usage.output_tokens', value: { intValue: 5 } },
    ],
    { parentSpanId: 'c'.repeat(16), status: { code: 2, message: `failed with ${secret}` } },
  );
  const http = toSpan('c', 'POST /buy', []);
  const malformed = [
    toSpan('d', 'chat x', [], { endTimeUnixNano: 'soon' }),
    toSpan('x', 'chat x', []),
    { name: 5 },
    null,
  ];

  expect(await sendJson(playground, toRequest(...malformed, http, chat))).toEqual({
    status: 200,
    text: '{"partialSuccess":{"rejectedSpans":"4"}}',
  });
  const { summaries } = await readTurns(playground);
  expect(summaries).toMatchObject([
    { title: 'Buy [redacted]', app: { name: 'shop' }, end: 'failed', tokens: 12, duration: 1000 },
  ]);
  const { messageId } = summaries[0] as TraceSummary;
  const shown = await Promise.all(
    ['', `/${messageId}`].map(async path => (await playground.call(`/api/traces${path}`)).text),
  );
  expect(shown.join()).not.toContain(secret);
  // A circle of parents ends.
  const circle = [
    toSpan('e', 'chat x', [text('gen_ai.operation.name', 'chat')], { parentSpanId: 'f'.repeat(16) }),
    toSpan('f', 'chat y', [text('gen_ai.operation.name', 'chat')], { parentSpanId: 'e'.repeat(16) }),
  ];
  expect((await sendJson(playground, toRequest(...circle))).status).toBe(200);
});

const tokens = [
  { key: 'gen_ai.usage.input_tokens', value: { intValue: '7' } },
  { key: 'gen_ai.usage.output_tokens', value: { intValue: '3' } },
];

/** A run of two rounds in a call, whose tool makes a run that fails. */
function nestedSpans(spanId: string, parent: string, startTimeUnixNano: string) {
  const chat = (model: string) => [
    ...[text('gen_ai.operation.name', 'chat'), text('gen_ai.request.model', model), ...tokens],
  ];
  const look = [
    ...[text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.call.id', 'call_of_e')],
    text('gen_ai.tool.name', 'look'),
  ];
  const later = (steps: number) => String(BigInt(startTimeUnixNano) + BigInt(steps) * 10_000_000n);
  const within = (parentSpanId: string, startTimeUnixNano: string) => ({
    parentSpanId: parentSpanId.repeat(16),
    startTimeUnixNano,
  });
  return [
    toSpan(spanId, 'chat', chat('small'), within(parent, startTimeUnixNano)),
    toSpan('1', 'chat', chat('small'), within(parent, later(1))),
    toSpan('e', 'look', look, within(parent, later(2))),
    toSpan('2', 'chat', chat('tiny'), { ...within('e', later(3)), status: { code: 2, message: 'no' } }),
  ];
}

it('knows the call of a tool that made other requests', async () => {
  const playground = await openPlayground();
  const chat = [text('gen_ai.operation.name', 'chat')];
  const ask = [
    ...[text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.call.id', 'call_1')],
    text('gen_ai.tool.name', 'ask'),
  ];
  const spans = [
    toSpan('a', 'invoke_agent', [text('gen_ai.operation.name', 'invoke_agent')]),
    toSpan('b', 'chat', [...chat, text('gen_ai.request.model', 'big'), ...tokens], {
      parentSpanId: 'a'.repeat(16),
    }),
    toSpan('c', 'ask', ask, { parentSpanId: 'a'.repeat(16), startTimeUnixNano: '1800000000100000000' }),
    ...nestedSpans('d', 'c', '1800000000200000000'),
  ];
  await sendJson(playground, toRequest(...spans));
  const { traces, summaries } = await readTurns(playground);

  expect(traces[0]?.rounds.map(({ toolCallId }) => toolCallId)).toEqual([
    ...[undefined, 'call_1', 'call_1'],
    'call_of_e',
  ]);
  expect(summaries).toMatchObject([
    {
      tokens: 40,
      nested: [
        {
          toolName: 'ask',
          depth: 1,
          modelId: 'small',
          rounds: 2,
          exchange: 2,
          tokens: 20,
          state: 'finished',
        },
        { toolName: 'look', depth: 2, modelId: 'tiny', rounds: 1, exchange: 4, tokens: 10, state: 'failed' },
      ],
      usages: [{ modelId: 'big' }, { modelId: 'small' }, { modelId: 'small' }, { modelId: 'tiny' }],
    },
  ]);
  const found = (filter: Partial<TraceFilter>) => filterTraces(summaries, { ...noFilter, ...filter }).length;
  expect([found({ modelId: 'tiny' }), found({ text: 'small' }), found({ modelId: 'other' })]).toEqual([
    1, 1, 0,
  ]);
});

it('waits for the span of a tool that runs longer than the runs in it', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const redactor = createRedactor(() => []);
  const stored: AppTurnRecord[] = [];
  const apps = createApps({ redactor, store: turn => stored.push(turn), onChange() {} });
  const receiver = createSpanReceiver({ apps, redactor });
  const add = (...spans: object[]) => receiver.add(readJsonSpans(toRequest(...spans)).spans, 1);
  const chat = [text('gen_ai.operation.name', 'chat')];
  add(toSpan('d', 'chat', chat, { parentSpanId: 'c'.repeat(16) }));
  vi.advanceTimersByTime(60_000);
  expect(stored).toEqual([]);
  add(toSpan('c', 'ask', [text('gen_ai.operation.name', 'execute_tool')], { parentSpanId: 'a'.repeat(16) }));
  vi.advanceTimersByTime(60_000);
  add(toSpan('a', 'invoke_agent', [text('gen_ai.operation.name', 'invoke_agent')]));
  vi.advanceTimersByTime(9000);
  expect(stored).toEqual([]);
  vi.advanceTimersByTime(2000);
  expect(stored).toHaveLength(1);

  // A span whose parent never comes is stored, too.
  add(toSpan('f', 'chat', chat, { traceId: 'f'.repeat(32), parentSpanId: 'e'.repeat(16) }));
  vi.advanceTimersByTime(121_000);
  expect(stored).toHaveLength(2);
});

it('rejects a request that is too large, also when it is unpacked, and stores nothing', async () => {
  const playground = await openPlayground();
  const json = { 'content-type': 'application/json' };
  const bomb = gzipSync(Buffer.alloc(70_000_000, '['));

  expect((await send(playground, Buffer.alloc(17_000_000, '['), json)).status).toBe(413);
  for (const type of Object.values(json).concat('application/x-protobuf')) {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    expect(await send(playground, bomb, headers)).toEqual({
      status: 413,
      text: '{"error":"Expected at most 64 MB after unpacking, got more."}',
    });
    expect(await send(playground, Buffer.from('no gzip'), headers)).toEqual({
      status: 400,
      text: '{"error":"Expected a body in gzip, got one that cannot be unpacked."}',
    });
  }
  expect((await readTurns(playground)).summaries).toEqual([]);
});

it('rejects a request that it cannot read', async () => {
  const playground = await openPlayground();
  const protobuf = { 'content-type': 'application/x-protobuf' };

  expect((await send(playground, Buffer.from('{'), { 'content-type': 'application/json' })).status).toBe(400);
  expect((await send(playground, Buffer.from([0x0a, 0xff, 0x01, 1]), protobuf)).status).toBe(400);
  expect((await send(playground, Buffer.from('x'), { 'content-encoding': 'br' })).status).toBe(415);
  expect((await readTurns(playground)).summaries).toEqual([]);
});

it('keeps the spans of a limited number of traces', async () => {
  const playground = await openPlayground();
  const toHex = (number: number, length: number): string => number.toString(16).padStart(length, '0');
  const spans = Array.from({ length: 250 }, (_, index) => ({
    traceId: toHex(index + 1, 32),
    spanId: toHex(index + 1, 16),
    name: 'chat',
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000001000000000',
    attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
  }));
  await sendJson(playground, { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const database = openDatabase(playground.folder);
  onTestFinished(() => void database.close());
  expect(createConversationStore(database).listTurns()).toHaveLength(50);
});
