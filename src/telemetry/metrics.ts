import {
  type Attributes,
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  metrics,
} from '@opentelemetry/api';
import { safely, SCOPE } from './spans.js';

/** A metric, as the guide lists it. */
export interface MetricRow {
  readonly name: string;
  /** Values are recorded as histograms, but tokens of `usage` as counters. */
  readonly unit: 's' | '{call}' | '{token}';
  readonly description: string;
}

/**
 * All metrics. The names are those of the semantic conventions, which are in development:
 * https://github.com/open-telemetry/semantic-conventions-genai
 */
export const METRICS = {
  inferenceDuration: row('gen_ai.client.inference.duration', 's', 'Duration of a round.'),
  hostedDuration: row(
    'kelivo.client.inference.duration',
    's',
    'Duration of a round under a model call of `ai` 7, which records that of the turn.',
  ),
  timeToFirstChunk: row(
    'gen_ai.client.inference.time_to_first_chunk',
    's',
    'Time from the request of a streamed round to its first part.',
  ),
  input_tokens: row(
    'gen_ai.client.inference.usage.input_tokens',
    '{token}',
    'Input tokens of a round, including cached ones.',
  ),
  output_tokens: row(
    'gen_ai.client.inference.usage.output_tokens',
    '{token}',
    'Output tokens of a round, including reasoning.',
  ),
  'cache_read.input_tokens': row(
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    '{token}',
    'Input tokens that were read from the prompt cache.',
  ),
  'cache_write.input_tokens': row(
    'gen_ai.client.inference.usage.cache_write.input_tokens',
    '{token}',
    'Input tokens that were written to the prompt cache.',
  ),
  'reasoning.output_tokens': row(
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    '{token}',
    'Output tokens of reasoning.',
  ),
  inferenceInput: row(
    'gen_ai.client.inference.operation.input_tokens',
    '{token}',
    'Distribution of the input tokens of rounds.',
  ),
  inferenceOutput: row(
    'gen_ai.client.inference.operation.output_tokens',
    '{token}',
    'Distribution of the output tokens of rounds.',
  ),
  toolDuration: row('gen_ai.execute_tool.duration', 's', 'Duration of a tool call that was run.'),
  agentDuration: row(
    'gen_ai.invoke_agent.duration',
    's',
    'Duration of a turn outside of a model call of a host.',
  ),
  agentInferences: row('gen_ai.invoke_agent.inference_calls', '{call}', 'Rounds of such a turn.'),
  agentTools: row('gen_ai.invoke_agent.tool_calls', '{call}', 'Tool calls of such a turn.'),
  mcpDuration: row('mcp.client.operation.duration', 's', 'Duration of a request to an MCP server.'),
};

function row(name: string, unit: MetricRow['unit'], description: string): MetricRow {
  return { name, unit, description };
}

/** Bucket bounds, by the conventions. */
const BOUNDS = {
  s: Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index),
  '{call}': [0, 1, 2, 4, 8, 16, 32, 64],
  '{token}': Array.from({ length: 14 }, (_, index) => 4 ** index),
};

/** Records metrics. Attributes never contain ids and content. */
export interface Metrics {
  /** False if the application has no SDK for metrics. */
  isRecording(): boolean;
  record(metric: keyof typeof METRICS, value: number, attributes: Attributes): void;
}

/** @param meter Default: that of the application's global provider. */
export function createMetrics(meter: Meter | undefined): Metrics {
  const instruments = new Map<string, Histogram | Counter>();
  let provider = metrics.getMeterProvider();

  /** Returns the instrument of a metric, which is created on first use. */
  function instrumentOf({ name, unit, description }: MetricRow): Histogram | Counter {
    // The application may register its provider after this package is loaded.
    const current = metrics.getMeterProvider();
    if (current !== provider && meter === undefined) instruments.clear();
    provider = current;
    const known = instruments.get(name);
    if (known !== undefined) return known;
    const creator = meter ?? current.getMeter(SCOPE);
    const options = { unit, description };
    const created = name.includes('.usage.')
      ? creator.createCounter(name, options)
      : creator.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: BOUNDS[unit] } });
    instruments.set(name, created);
    return created;
  }

  return {
    isRecording: () => (meter ?? metrics.getMeterProvider().getMeter(SCOPE)) !== createNoopMeter(),
    record: (metric, value, attributes) =>
      safely(() => {
        const instrument = instrumentOf(METRICS[metric]);
        if ('add' in instrument) instrument.add(value, attributes);
        else instrument.record(value, attributes);
      }),
  };
}
