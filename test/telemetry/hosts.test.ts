import { context, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it } from 'vitest';
import { idOf, toTree, useRecorder } from './_recorder.js';
import { createScene, TURN } from './_scene.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const recorder = useRecorder();
const indented = (lines: readonly string[], depth: number): string[] =>
  lines.map(line => '  '.repeat(depth) + line);

/** Sums tokens as backends do: over all model calls that are not part of another one. */
function countTokens(spans: readonly ReadableSpan[]): { input: number; output: number } {
  const isModelCall = ({ attributes }: ReadableSpan): boolean =>
    attributes['gen_ai.operation.name'] === 'chat' || /\.do\w+$/.test(String(attributes['operation.name']));
  const calls = spans.filter(isModelCall);
  const isOuter = ({ parentSpanContext }: ReadableSpan): boolean =>
    !calls.some(span => idOf(span) === parentSpanContext?.spanId);
  const sum = (name: string, counted: readonly ReadableSpan[]): number =>
    counted.reduce((total, { attributes }) => total + Number(attributes[name] ?? 0), 0);
  // No nested model call adds tokens again.
  expect(sum('gen_ai.usage.input_tokens', calls)).toBe(
    sum('gen_ai.usage.input_tokens', calls.filter(isOuter)),
  );
  return {
    input: sum('gen_ai.usage.input_tokens', calls),
    output: sum('gen_ai.usage.output_tokens', calls),
  };
}

const hosts = [
  { name: 'ai 5', host: ai5 as unknown as typeof ai6 },
  { name: 'ai 6', host: ai6 },
  { name: 'ai 7', host: ai7 as unknown as typeof ai6 },
];
const modes = ['generate', 'stream'] as const;

async function run(
  host: typeof ai6,
  mode: (typeof modes)[number],
  { isEnabled }: { isEnabled: boolean },
): Promise<void> {
  const { model } = createScene();
  const options = {
    model: model as never,
    prompt: 'canary-prompt',
    experimental_telemetry: { isEnabled, recordInputs: false, recordOutputs: false },
  };
  if (mode === 'generate') await host.generateText(options);
  else await host.streamText(options).consumeStream();
}

describe.each(modes)('the spans of a turn, mode %s', mode => {
  it.each(hosts.slice(0, 2))('hang under the model call of $name', async ({ host }) => {
    await run(host, mode, { isEnabled: true });
    const [outer, inner] =
      mode === 'generate'
        ? ['ai.generateText', 'ai.generateText.doGenerate']
        : ['ai.streamText', 'ai.streamText.doStream'];
    expect(recorder.tree()).toEqual([outer, `  ${inner}`, ...indented(TURN, 2)]);
    expect(countTokens(recorder.spans)).toEqual({ input: 300, output: 30 });
    // The counts of each round are there, under names that no backend adds up.
    const rounds = recorder.spans.filter(({ name }) => name.startsWith('chat'));
    expect(rounds.map(({ attributes }) => attributes['kelivo.usage.input_tokens'])).toEqual([100, 200]);
    // The span of the host ends last.
    expect(recorder.spans.slice(-2).map(({ name }) => name)).toEqual([inner, outer]);
  });

  it.each(hosts)('form a trace without telemetry of $name', async ({ host }) => {
    await run(host, mode, { isEnabled: false });
    expect(recorder.tree()).toEqual(['invoke_agent', ...indented(TURN, 1)]);
    expect(countTokens(recorder.spans)).toEqual({ input: 300, output: 30 });
  });

  it.each(hosts)('hang under the span of the application with $name', async ({ host }) => {
    const span = trace.getTracer('application').startSpan('request');
    await context.with(trace.setSpan(context.active(), span), () => run(host, mode, { isEnabled: false }));
    span.end();
    expect(recorder.tree()).toEqual(['request', '  invoke_agent', ...indented(TURN, 2)]);
  });

  it('of two turns at once do not mix', async () => {
    const turn = async (name: string): Promise<void> => {
      const span = trace.getTracer('application').startSpan(name);
      await context.with(trace.setSpan(context.active(), span), () => run(ai6, mode, { isEnabled: false }));
      span.end();
    };
    await Promise.all([turn('first'), turn('second')]);
    const traces = ['first', 'second'].map(name => {
      const { traceId } = recorder.span(name).spanContext();
      return recorder.spans.filter(span => span.spanContext().traceId === traceId);
    });
    expect(traces.map(spans => spans.length)).toEqual([TURN.length + 2, TURN.length + 2]);
    const expected = ['invoke_agent', ...indented(TURN, 1)];
    expect(traces.map(spans => toTree(spans).slice(1))).toEqual([
      indented(expected, 1),
      indented(expected, 1),
    ]);
  });
});
