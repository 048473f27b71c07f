import { context, type Span, trace } from '@opentelemetry/api';
import { convertGenAISpanAttributesToOpenInferenceSpanAttributes as toOpenInference } from '@arizeai/openinference-genai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/v3.js';
import { createTelemetry, RoundSpanProcessor } from '../../src/telemetry/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import {
  callRound,
  call,
  finish,
  generate,
  scriptedModel,
  start,
  text,
  user,
} from '../tool-loop/_scripted-model.js';
import { startEmulator } from '../testing/_emulator.js';
import { scriptedTools } from '../tool-loop/_tools.js';
import { createScene } from './_scene.js';

/* Spans as two backends receive them behind the span processor: Langfuse by its processor, Phoenix by its conversion. */

globalThis.AI_SDK_LOG_WARNINGS = false;

const langfuse = new InMemorySpanExporter();
const exported = new InMemorySpanExporter();
const untouched = new InMemorySpanExporter();
const langfuseProcessor = new LangfuseSpanProcessor({
  ...{ publicKey: 'pk-lf-1', secretKey: 'sk-lf-1', baseUrl: 'http://127.0.0.1:9' },
  exporter: langfuse,
  exportMode: 'immediate',
  shouldExportSpan: () => true,
});
const provider = new NodeTracerProvider({
  spanProcessors: [
    new RoundSpanProcessor(langfuseProcessor),
    new RoundSpanProcessor(new SimpleSpanProcessor(exported)),
    new SimpleSpanProcessor(untouched),
  ],
});
provider.register();
afterEach(() => [langfuse, exported, untouched].forEach(exporter => exporter.reset()));
afterAll(async () => {
  await provider.shutdown();
  trace.disable();
  context.disable();
});

/** Tokens and costs as Langfuse adds them up: of all spans with usage, but not of agents and their steps. */
async function inLangfuse() {
  await langfuseProcessor.forceFlush();
  const spans = langfuse.getFinishedSpans();
  const generations = spans.filter(
    ({ attributes }) =>
      attributes['gen_ai.request.model'] !== undefined &&
      !['invoke_agent', 'agent_step'].includes(String(attributes['gen_ai.operation.name'])),
  );
  return {
    spans,
    tokens: sum(generations, 'gen_ai.usage.input_tokens'),
    cost: sum(generations, 'gen_ai.usage.cost'),
    withoutUsage: generations.filter(
      ({ attributes }) => attributes['gen_ai.usage.input_tokens'] === undefined,
    ).length,
  };
}

/** Tokens as Phoenix adds them up: of all spans after the conversion. */
function inPhoenix() {
  const spans = exported.getFinishedSpans().map(({ attributes }) => toOpenInference(attributes) ?? {});
  const total = (name: string) =>
    spans.reduce(
      (count, attributes) => count + Number((attributes as Record<string, unknown>)[name] ?? 0),
      0,
    );
  return {
    input: total('llm.token_count.prompt'),
    output: total('llm.token_count.completion'),
    cached: total('llm.token_count.prompt_details.cache_read'),
    models: spans.filter(
      attributes =>
        (attributes as Record<string, unknown>)['openinference.span.kind'] === 'LLM' &&
        (attributes as Record<string, unknown>)['llm.token_count.prompt'] !== undefined,
    ).length,
  };
}

const sum = (spans: readonly ReadableSpan[], name: string): number =>
  spans.reduce((count, { attributes }) => count + Number(attributes[name] ?? 0), 0);

const hosts = [
  { name: 'ai 5', host: ai5 as unknown as typeof ai6 },
  { name: 'ai 6', host: ai6 },
];

describe.each(['generate', 'stream'] as const)('a turn in mode %s', mode => {
  it.each(hosts)('is counted once per round, call and turn behind $name', async ({ host }) => {
    const { model } = createScene({ prices: { '*': { input: 1, cachedInput: 0.1, output: 10 } } });
    const options = {
      model: model as never,
      prompt: 'Go.',
      experimental_telemetry: { isEnabled: true, recordInputs: false, recordOutputs: false },
    };
    if (mode === 'generate') await host.generateText(options);
    else await host.streamText(options).consumeStream();
    const { spans, ...counted } = await inLangfuse();
    // 240 × 1 + 60 × 0.1 + 30 × 10, in millionths.
    expect(counted).toEqual({ tokens: 300, cost: expect.closeTo(0.000546, 10) as number, withoutUsage: 0 });
    expect(inPhoenix()).toEqual({ input: 300, output: 30, cached: 60, models: 2 });
    const names = spans.map(({ name }) => name);
    expect(names.filter(name => name === 'chat scripted-1')).toHaveLength(2);
    expect(names.filter(name => name === 'execute_tool search')).toHaveLength(1);
    expect(names.filter(name => /^ai\.\w+Text$/.test(name))).toHaveLength(1);
    // Other processors receive the spans unchanged, and the host's span with its sum.
    const outer = untouched.getFinishedSpans().filter(({ name }) => name.includes('.do'));
    expect(sum(outer, 'gen_ai.usage.input_tokens')).toBe(300);
  });

  it('is counted once below the spans of ai 7, and other model calls stay', async () => {
    const tracer = trace.getTracer('gen_ai');
    const attributes = { 'gen_ai.usage.input_tokens': 300, 'gen_ai.request.model': 'scripted-1' };
    const begin = (name: string, operation: string): Span =>
      tracer.startSpan(name, { attributes: { ...attributes, 'gen_ai.operation.name': operation } });
    const within = <Result>(span: Span, run: () => Result): Result =>
      context.with(trace.setSpan(context.active(), span), run);
    const agent = begin('invoke_agent', 'invoke_agent');
    const step = within(agent, () => begin('step 1', 'agent_step'));
    const chat = within(agent, () => within(step, () => begin('chat scripted-1', 'chat')));
    await within(chat, async () => {
      const { model } = createScene();
      await generate(model);
    });
    [chat, step, agent].forEach(span => span.end());
    // A model call of another package, which has no round below it.
    begin('chat other', 'chat').end();
    expect((await inLangfuse()).tokens).toBe(600);
    expect(inPhoenix().input).toBe(600);
  });
});

it('a turn that reads its first response in the background counts both of its rounds', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ call: 'pay', arguments: {} }], [{ text: 'Paid.' }]);
  const tools = { pay: { inputSchema: { type: 'object' } as never, execute: () => 'done' } };
  const settings = { baseURL: emulator.baseURL, apiKey: 'k', tools, telemetry: createTelemetry() };
  const responses = createKelivoResponsesProvider(settings);
  const ask = (model: unknown, kelivo: object) =>
    ai6.generateText({
      ...{ model: model as never, prompt: 'Pay.', providerOptions: { kelivo: kelivo as never } },
      experimental_telemetry: { isEnabled: true },
    });
  const submitted = await ask(responses.responses('gpt-5'), {
    background: { submit: true, pollInterval: 1 },
  });
  const responseId = String(submitted.providerMetadata?.kelivo?.responseId);
  const { text: answer, usage } = await ask(responses('gpt-5'), { resume: { responseId, pollInterval: 1 } });
  expect(answer).toBe('Paid.');
  expect(usage.inputTokens).toBeGreaterThan(1);
  expect((await inLangfuse()).tokens).toBe(usage.inputTokens);
  expect(inPhoenix().input).toBe(usage.inputTokens);
});

it('the reading of a response of the same turn is no model call without usage', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ text: 'Done.' }]);
  const tools = { pay: { inputSchema: { type: 'object' } as never, execute: () => 'done' } };
  const toolLoop = { journal: createJournal({ store: createSqliteStore({ path: ':memory:' }) }) };
  const settings = { baseURL: emulator.baseURL, apiKey: 'k', tools, toolLoop, telemetry: createTelemetry() };
  const kelivo = { turnId: 'turn-1', background: { pollInterval: 1 } };
  const { usage } = await ai6.generateText({
    ...{
      model: createKelivoResponsesProvider(settings)('gpt-5'),
      prompt: 'Go.',
      providerOptions: { kelivo },
    },
    experimental_telemetry: { isEnabled: true },
  });
  expect(await inLangfuse()).toMatchObject({ tokens: usage.inputTokens, withoutUsage: 0 });
  expect(exported.getFinishedSpans().map(({ name }) => name)).toContain('fetch_response gpt-5');
});

const paid = finish('tool-calls', { inputTokens: 100, outputTokens: 10, totalTokens: 110 });

it.each(['fails', 'is aborted'] as const)(
  'a turn that %s has its finished rounds in the trace',
  async end => {
    const controller = new AbortController();
    const inner = scriptedModel([start, ...call('c1', 'search'), paid], () => {
      if (end === 'fails') throw new Error('no second round');
      controller.abort(new Error('stopped'));
      return new Promise<never>(() => {});
    });
    const model = withToolLoop(inner, {
      tools: scriptedTools({ search: () => 'found' }),
      telemetry: createTelemetry(),
      retry: { maxRetries: 0 } as never,
    });
    await expect(
      ai6.generateText({
        model: model as never,
        prompt: 'Go.',
        maxRetries: 0,
        abortSignal: controller.signal,
        experimental_telemetry: { isEnabled: true },
      }),
    ).rejects.toThrow();
    const { tokens, spans } = await inLangfuse();
    expect(tokens).toBe(100);
    expect(inPhoenix().input).toBe(100);
    const rounds = spans.filter(({ name }) => name === 'chat scripted-1');
    expect(rounds.length).toBeGreaterThanOrEqual(2);
    const last = rounds.at(-1)?.attributes ?? {};
    expect(end === 'fails' ? last['error.type'] : last['kelivo.aborted']).toBeDefined();
    expect(spans.filter(({ name }) => name === 'execute_tool search')).toHaveLength(1);
  },
);

it('a resumed turn does not count again what an earlier trace has counted', async () => {
  const store = createSqliteStore({ path: ':memory:' });
  const run = async (): Promise<void> => {
    const inner = scriptedModel(callRound(call('c1', 'search')), [
      start,
      ...text('Done.'),
      finish('stop', { inputTokens: 7, outputTokens: 3, totalTokens: 10 }),
    ]);
    const model = withToolLoop(inner, {
      tools: scriptedTools({ search: () => 'found' }),
      journal: createJournal({ store }),
      telemetry: createTelemetry(),
    });
    await generate(model, { prompt: user('Go.'), providerOptions: { kelivo: { turnId: 'turn-1' } } });
  };
  await run();
  const first = (await inLangfuse()).tokens;
  expect(first).toBeGreaterThan(0);
  langfuse.reset();
  exported.reset();
  await run();
  expect((await inLangfuse()).tokens).toBe(0);
  expect((await inLangfuse()).withoutUsage).toBe(0);
  expect(inPhoenix().input).toBe(0);
  await store.close();
});
