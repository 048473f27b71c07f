// Runs turns in `ai` 7 with its telemetry, and prints the trees of their spans. It runs in Node 22.
import { OpenTelemetry, LegacyOpenTelemetry } from '@ai-sdk/otel';
import { metrics, trace } from '@opentelemetry/api';
import {
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { generateText, registerTelemetry, streamText, ToolLoopAgent } from 'ai';
import { z } from 'zod';

globalThis.AI_SDK_LOG_WARNINGS = false;
const [folder, integration, mode, form = 'continuous'] = process.argv.slice(2);
const { createKelivoResponsesProvider } = await import(`${folder}/v4.js`);
const { createTelemetry } = await import(`${folder}/telemetry/index.js`);
const { startResponsesEmulator } = await import(`${folder}/testing/index.js`);

const starts = new Map();
const exporter = new InMemorySpanExporter();
const order = {
  onStart: span => void starts.set(span.spanContext().spanId, starts.size),
  onEnd: () => {},
  forceFlush: async () => {},
  shutdown: async () => {},
};
const provider = new NodeTracerProvider({ spanProcessors: [order, new SimpleSpanProcessor(exporter)] });
provider.register();
const measured = new InMemoryMetricExporter(0);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1e9 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
if (integration !== 'none')
  registerTelemetry(integration === 'legacy' ? new LegacyOpenTelemetry() : new OpenTelemetry());

/** The time of the tool in milliseconds, which belongs to no request. */
const TOOL_TIME = 1500;

const emulator = await startResponsesEmulator({ apiKey: 'key' });
const kelivo = createKelivoResponsesProvider({
  baseURL: emulator.baseURL,
  apiKey: 'key',
  telemetry: createTelemetry(),
  tools: {
    get_weather: {
      description: 'Returns the weather of a city',
      inputSchema: z.object({ city: z.string() }),
      async execute() {
        const span = trace.getTracer('application').startSpan('database');
        await new Promise(resolve => setTimeout(resolve, TOOL_TIME));
        span.end();
        return 'Sunny';
      },
    },
  },
});
const options = { model: kelivo('gpt-5'), prompt: 'Get the weather of the city "Rome".' };
let usage;
if (form !== 'continuous') {
  const { model, prompt } = options;
  const agent = new ToolLoopAgent({ model, ...(await kelivo.agentSettings({ runBy: form })) });
  usage = (await agent.generate({ prompt })).totalUsage;
} else if (mode === 'generate') usage = (await generateText(options)).usage;
else {
  const result = streamText(options);
  await result.consumeStream();
  usage = await result.usage;
}
await kelivo.close();
// Spans may be exported after their end.
await provider.forceFlush();
await reader.forceFlush();
await emulator.close();

const spans = exporter.getFinishedSpans();
const idOf = span => span.spanContext().spanId;
const ends = spans.map(idOf);
const toTree = (parent, indent = '') =>
  spans
    .filter(span =>
      parent === undefined
        ? !ends.includes(span.parentSpanContext?.spanId)
        : span.parentSpanContext?.spanId === parent,
    )
    .sort((a, b) => starts.get(idOf(a)) - starts.get(idOf(b)))
    .flatMap(span => [
      `${indent}${span.name} [${span.instrumentationScope.name}]`,
      ...toTree(idOf(span), `${indent}  `),
    ]);
const isModelCall = ({ attributes }) =>
  attributes['gen_ai.operation.name'] === 'chat' || /\.do\w+$/.test(String(attributes['operation.name']));
const calls = spans.filter(isModelCall);
const outer = calls.filter(span => !calls.some(call => idOf(call) === span.parentSpanContext?.spanId));
const sum = counted =>
  counted.reduce((total, { attributes }) => total + (attributes['gen_ai.usage.input_tokens'] ?? 0), 0);
const toolIds = spans
  .filter(({ name }) => name === 'execute_tool get_weather')
  .map(({ attributes }) => attributes['gen_ai.tool.call.id']);
const lasts = spans.find(
  ({ instrumentationScope, name }) =>
    instrumentationScope.name === 'kelivo-responses' && name.startsWith('execute'),
);
console.log(
  JSON.stringify({
    tree: toTree(),
    sums: [sum(calls), sum(outer), usage.inputTokens],
    isOneCall: new Set(toolIds).size === 1,
    endsAfterWork:
      lasts !== undefined && ends.indexOf(idOf(lasts)) > spans.findIndex(({ name }) => name === 'database'),
    inferences: Object.fromEntries(
      measured
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(one => one.metrics)
        .filter(({ descriptor }) => descriptor.name.endsWith('inference.duration'))
        .map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.reduce(
            ({ count, sum }, { value }) => ({ count: count + value.count, sum: sum + value.sum }),
            { count: 0, sum: 0 },
          ),
        ]),
    ),
    tools: spans.filter(
      ({ name, duration: [seconds, nanoseconds] }) =>
        name === 'execute_tool get_weather' && seconds * 1000 + nanoseconds / 1e6 >= TOOL_TIME - 1,
    ).length,
    hasEnded: starts.size === spans.length,
  }),
);
await provider.shutdown();
