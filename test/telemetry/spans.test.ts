import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { APICallError } from '@ai-sdk/provider';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createTelemetry } from '../../src/telemetry/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import {
  call,
  callRound,
  finishOf,
  generate,
  readAll,
  scriptedModel,
  start,
  stream,
  text,
  textRound,
  user,
} from '../tool-loop/_scripted-model.js';
import { startEmulator } from '../testing/_emulator.js';
import { useRecorder } from './_recorder.js';
import { createScene } from './_scene.js';

const recorder = useRecorder();

const spansOf = (prefix: string) => recorder.spans.filter(({ name }) => name.startsWith(prefix));

describe('a span', () => {
  it('of a round has the names, the kind and the attributes of the conventions', async () => {
    const { model } = createScene();
    await stream(model, { temperature: 0.5, maxOutputTokens: 99, stopSequences: ['END'], seed: 7 });
    const [round] = spansOf('chat');
    expect(round).toMatchObject({ name: 'chat scripted-1', kind: SpanKind.CLIENT });
    expect(round?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted-1',
      'gen_ai.request.stream': true,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 99,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.response.id': 'resp_1',
      'gen_ai.response.model': 'scripted-1-large',
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.reasoning.output_tokens': 4,
      'kelivo.round': 1,
      'kelivo.turn_id': expect.any(String),
    });
  });

  it('of a tool has its call, its kind and the type of its error', async () => {
    const { model } = createScene();
    await stream(model);
    expect(recorder.span('execute_tool search')).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.description': 'Searches.',
        'kelivo.round': 1,
      },
    });
    expect(recorder.span('execute_tool fail')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'tool_error' },
    });
  });

  it('of a tool lasts as long as the tool', async () => {
    const { model } = createScene();
    await stream(model);
    const events = recorder.events.filter(event => /database|search/.test(event));
    expect(events).toEqual([
      'start execute_tool search',
      'start database',
      'end database',
      'end execute_tool search',
    ]);
  });

  it.each(['stream', 'generate'] as const)('ends before the host reads `finish`, mode %s', async mode => {
    const { model } = createScene();
    const seen: number[] = [];
    if (mode === 'generate') {
      await generate(model);
      seen.push(recorder.spans.length);
    } else {
      const { stream: parts } = await model.doStream({ prompt: user('Go.') });
      for await (const part of parts) if (part.type === 'finish') seen.push(recorder.spans.length);
    }
    expect(seen).toEqual([6]);
  });

  it('marks a call that did not run', async () => {
    const { tools } = createTools();
    const inner = scriptedModel(callRound(call('c1', 'wait', {}), call('c2', 'unknown')), textRound('Done.'));
    const telemetry = createTelemetry();
    await stream(withToolLoop(inner, { tools, telemetry, approvals: 'always' }));
    for (const name of ['wait', 'unknown'])
      expect(recorder.span(`execute_tool ${name}`).attributes).toMatchObject({
        'kelivo.refused': true,
        'error.type': 'refused',
      });
  });

  it('of a failed round has the status of the response, and each retry is a span', async () => {
    const failure = new APICallError({
      message: 'canary-failure',
      url: 'http://127.0.0.1',
      requestBodyValues: {},
      statusCode: 503,
      isRetryable: true,
    });
    const { tools } = createTools();
    const inner = scriptedModel(
      callRound(call('c1', 'quick')),
      () => Promise.reject(failure),
      textRound('Done.'),
    );
    await stream(withToolLoop(inner, { tools, telemetry: createTelemetry(), retry: { initialDelay: 0 } }));
    const rounds = spansOf('chat').map(({ attributes }) => [
      attributes['kelivo.round'],
      attributes['kelivo.attempt'],
      attributes['error.type'],
    ]);
    expect(rounds).toEqual([
      [1, undefined, undefined],
      [2, undefined, '503'],
      [2, 2, undefined],
    ]);
    expect(recorder.exported()).not.toContain('canary');
  });
});

/** Tools that end at once, or wait for the signal that they ignore. */
function createTools() {
  let onStart: () => void = () => {};
  const started = new Promise<void>(resolve => {
    onStart = resolve;
  });
  const tools = createLocalTools({
    quick: { inputSchema: z.looseObject({}), execute: () => 'ok' },
    wait: {
      inputSchema: z.looseObject({}),
      execute() {
        onStart();
        return new Promise<string>(() => {});
      },
    },
  });
  return { tools, started };
}

/** Returns how the spans ended. */
const endsOf = (): Record<string, unknown> =>
  Object.fromEntries(
    recorder.spans.map(({ name, attributes }) => [
      name,
      attributes['error.type'] ?? (attributes['kelivo.aborted'] === true ? 'aborted' : 'ok'),
    ]),
  );

async function* endless(): AsyncGenerator<LanguageModelV2StreamPart> {
  yield start;
  yield* text('Hello.');
  await new Promise(() => {});
}

async function* broken(): AsyncGenerator<LanguageModelV2StreamPart> {
  yield start;
  yield* text('Hello.');
  throw new TypeError('canary: the connection broke');
}

describe('spans end', () => {
  const telemetry = createTelemetry();

  it('when the caller aborts a running tool that ignores it', async () => {
    const { tools, started } = createTools();
    const controller = new AbortController();
    const model = withToolLoop(scriptedModel(callRound(call('c1', 'wait'))), { tools, telemetry });
    const parts = stream(model, { abortSignal: controller.signal }).catch(() => []);
    await started;
    controller.abort();
    await parts;
    expect(endsOf()).toEqual({
      'chat scripted-1': 'ok',
      'execute_tool wait': 'aborted',
      invoke_agent: 'aborted',
    });
  });

  it('when the caller aborts a response', async () => {
    const controller = new AbortController();
    const model = withToolLoop(scriptedModel(endless), { tools: createTools().tools, telemetry });
    const { stream: parts } = await model.doStream({ prompt: user('Go.'), abortSignal: controller.signal });
    const reading = readAll(parts).catch(() => []);
    controller.abort('The user left.');
    await reading;
    expect(endsOf()).toEqual({ 'chat scripted-1': 'aborted', invoke_agent: 'aborted' });
  });

  it('when the reader stops in the middle of a stream', async () => {
    for (const tools of [createTools().tools, []]) {
      const model = withToolLoop(scriptedModel(endless), { tools, telemetry });
      const { stream: parts } = await model.doStream({ prompt: user('Go.') });
      for await (const part of parts) if (part.type === 'text-delta') break;
      await expect.poll(() => endsOf()['chat scripted-1']).toBe('aborted');
    }
    expect(recorder.spans.map(({ name }) => name).toSorted()).toEqual([
      'chat scripted-1',
      'chat scripted-1',
      'invoke_agent',
    ]);
  });

  it('when a stream breaks', async () => {
    const model = withToolLoop(scriptedModel(broken), { tools: createTools().tools, telemetry });
    await stream(model);
    expect(endsOf()).toEqual({ 'chat scripted-1': 'TypeError', invoke_agent: 'TypeError' });
    expect(recorder.exported()).not.toContain('canary');
  });

  it('when the response is an error part', async () => {
    const error = new Error('canary');
    const model = withToolLoop(scriptedModel([start, { type: 'error', error }]), { tools: [], telemetry });
    await stream(model);
    expect(endsOf()).toEqual({ 'chat scripted-1': '_OTHER' });
  });

  it.each([
    ['a tool', { tool: 20 }, 'timeout', 'ok'],
    ['the turn', { total: 20 }, 'timeout', 'timeout'],
  ])('at the time limit of %s', async (_name, timeouts, tool, turn) => {
    const { tools } = createTools();
    const inner = scriptedModel(callRound(call('c1', 'wait')), textRound('Done.'));
    await stream(withToolLoop(inner, { tools, telemetry, timeouts }));
    expect(endsOf()).toMatchObject({ 'execute_tool wait': tool, invoke_agent: turn });
  });

  it('although the tracer fails', async () => {
    const tracer = {
      startSpan(): never {
        throw new Error('The tracer failed.');
      },
      startActiveSpan(): never {
        throw new Error('The tracer failed.');
      },
    };
    const { model } = createScene({ telemetry: { tracer } });
    expect(finishOf(await stream(model)).finishReason).toBe('stop');
  });
});

describe('records of a journal', () => {
  it('are spans with a mark, and neither usage of a model nor metrics', async () => {
    const { metrics, meter, close } = createMeter();
    const store = createSqliteStore({ path: ':memory:' });
    const { tools } = createTools();
    const options = { prompt: user('Go.'), providerOptions: { kelivo: { turnId: 'turn-7' } } };
    const run = async () => {
      const inner = scriptedModel(callRound(call('c1', 'quick')), textRound('Done.'));
      const telemetry = createTelemetry({ meter });
      const journal = createJournal({ store });
      return stream(withToolLoop(inner, { tools, telemetry, journal }), options);
    };
    await run();
    const before = await metrics();
    const first = recorder.spans.length;
    const parts = await run();
    const replayed = recorder.spans.slice(first);
    expect(recorder.tree().slice(first)).toEqual(recorder.tree().slice(0, first));
    for (const span of replayed.filter(({ name }) => name !== 'invoke_agent')) {
      expect(span.attributes).toMatchObject({ 'kelivo.replayed': true, 'kelivo.turn_id': 'turn-7' });
      expect(Object.keys(span.attributes).filter(name => name.startsWith('gen_ai.usage'))).toEqual([]);
    }
    const after = await metrics();
    for (const name of ['gen_ai.client.inference.duration', 'gen_ai.execute_tool.duration'])
      expect(after[name]).toEqual(before[name]);
    expect(finishOf(parts).providerMetadata?.kelivo).toMatchObject({
      turnId: 'turn-7',
      rounds: [{ isReplayed: true, toolCalls: [{ isReplayed: true }] }, { isReplayed: true }],
    });
    await close();
  });
});

describe('metrics', () => {
  it('have durations, token counts and the numbers of rounds and calls, without ids', async () => {
    const { metrics, meter, close, dataOf } = createMeter();
    const { model } = createScene({ telemetry: { meter } });
    await stream(model);
    expect(await metrics()).toEqual({
      'gen_ai.client.inference.duration': 2,
      'gen_ai.client.inference.operation.input_tokens': 2,
      'gen_ai.client.inference.operation.output_tokens': 2,
      'gen_ai.client.inference.time_to_first_chunk': 2,
      'gen_ai.client.inference.usage.input_tokens': 300,
      'gen_ai.client.inference.usage.output_tokens': 30,
      'gen_ai.client.inference.usage.cache_read.input_tokens': 60,
      'gen_ai.client.inference.usage.reasoning.output_tokens': 4,
      'gen_ai.execute_tool.duration': 2,
      'gen_ai.invoke_agent.duration': 1,
      'gen_ai.invoke_agent.inference_calls': 1,
      'gen_ai.invoke_agent.tool_calls': 1,
    });
    const data = dataOf();
    expect(data).toContain('"error.type":"tool_error"');
    expect(data).not.toMatch(/canary|turn_id|call\.id|resp_1/);
    await close();
  });
});

describe('the conventions', () => {
  describe('name the reading of a response in the background, whose usage counts once', () => {
    const USAGE = 'gen_ai.usage.output_tokens';
    async function startProvider(toolLoop = {}) {
      const emulator = await startEmulator();
      emulator.enqueue([{ text: 'Done.' }]);
      const settings = { baseURL: emulator.baseURL, apiKey: 'k', telemetry: createTelemetry(), toolLoop };
      const { tools } = createTools();
      return createKelivoResponsesProvider({ ...settings, tools });
    }
    const facts = () =>
      recorder.spans
        .filter(({ name }) => !name.startsWith('invoke'))
        .map(({ name, attributes }) => [name, typeof attributes[USAGE], attributes['gen_ai.response.id']]);

    it.each([generate, stream])('in the request, if the same turn reads it: %o', async run => {
      const journal = createJournal({ store: createSqliteStore({ path: ':memory:' }) });
      const model = (await startProvider({ journal }))('gpt-5');
      await run(model, {
        providerOptions: { kelivo: { turnId: 'turn-1', background: { pollInterval: 1 } } },
      });
      const id = expect.stringMatching(/^resp_/);
      expect(facts().toSorted()).toEqual([
        ['chat gpt-5', 'number', id],
        ['fetch_response gpt-5', 'undefined', id],
      ]);
    });

    it('in the reading, if another call reads it', async () => {
      const model = (await startProvider())('gpt-5');
      const background = { submit: true, pollInterval: 1 };
      const submitted = await generate(model, { providerOptions: { kelivo: { background } } });
      const responseId = String(submitted.providerMetadata?.kelivo?.responseId);
      await generate(model, { providerOptions: { kelivo: { resume: { responseId, pollInterval: 1 } } } });
      expect(facts()).toEqual([
        ['chat gpt-5', 'undefined', responseId],
        ['fetch_response gpt-5', 'number', responseId],
      ]);
    });
  });

  it('name the conversation, the previous response, the effort and a compaction, only when they apply', async () => {
    const { model } = createScene({ telemetry: { conversationId: chat => (chat as { id?: string }).id } });
    await stream(model, {
      providerOptions: {
        openai: { conversation: 'conv_1', previousResponseId: 'resp_0', reasoningEffort: 'low' },
        kelivo: { context: { id: 'chat-7' } },
      },
    });
    const { model: plain } = createScene();
    await stream(plain, { providerOptions: { openai: { conversation: 'conv_1' } } });
    const names = ['conversation.id', 'request.previous_response.id', 'request.reasoning.level'];
    const valuesOf = (index: number) =>
      names.map(name => spansOf('chat')[index]?.attributes[`gen_ai.${name}`]);
    expect(valuesOf(0)).toEqual(['chat-7', 'resp_0', 'low']);
    expect(valuesOf(2)).toEqual(['conv_1', undefined, undefined]);
    expect(recorder.exported()).not.toContain('compacted');
  });

  it.each([
    ['text', 'text'],
    ['an image', 'unknown'],
  ])('count the input of %s as %s, and a failed round as 0 of unknown', async (content, modality) => {
    const { metrics, meter, close, dataOf } = createMeter();
    const { model } = createScene({ telemetry: { meter } });
    const file = { type: 'file', mediaType: 'image/png', data: new Uint8Array([1]) } as const;
    const part = content === 'text' ? { type: 'text' as const, text: 'Go.' } : file;
    await stream(model, { prompt: [{ role: 'user', content: [part] }] });
    await metrics();
    const points = () =>
      (JSON.parse(dataOf()) as { descriptor: { name: string }; dataPoints: { attributes: object }[] }[])
        .filter(({ descriptor }) => descriptor.name.endsWith('.usage.input_tokens'))
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes));
    expect(points()).toMatchObject([
      { 'gen_ai.token.modality': modality },
      { 'gen_ai.token.modality': modality },
    ]);
    const failing = withToolLoop(
      scriptedModel(() => {
        throw new Error('no connection');
      }),
      { tools: [], telemetry: createTelemetry({ meter }), retry: { maxRetries: 0 } },
    );
    await stream(failing).catch(() => {});
    await metrics();
    expect(points().at(-1)).toMatchObject({ 'gen_ai.token.modality': 'unknown', 'error.type': '_OTHER' });
    await close();
  });
});

/** Creates a meter, and reads its counts: of a histogram the number of values, of a counter the sum. */
function createMeter() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e8 });
  const provider = new MeterProvider({ readers: [reader] });
  const listMetrics = () =>
    exporter
      .getMetrics()
      .slice(-1)
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(scope => scope.metrics));
  return {
    meter: provider.getMeter('test'),
    async metrics(): Promise<Record<string, number>> {
      await reader.forceFlush();
      return Object.fromEntries(
        listMetrics().map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.reduce((sum, { value }) => sum + (typeof value === 'number' ? value : value.count), 0),
        ]),
      );
    },
    dataOf: () => JSON.stringify(listMetrics()),
    close: () => provider.shutdown(),
  };
}
