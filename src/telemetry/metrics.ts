import {
  type Attributes,
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  metrics,
} from '@opentelemetry/api';
import { METRIC } from './names.js';
import { safely } from './spans.js';

/** Bucket bounds of durations in seconds, by the conventions. */
const DURATIONS = Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index);
/** Bucket bounds of counts. */
const COUNTS = [0, 1, 2, 4, 8, 16, 32, 64];

/** Records metrics. Attributes never contain ids and content. */
export interface Metrics {
  /** False if the application has no SDK for metrics. */
  isRecording(): boolean;
  recordDuration(name: string, seconds: number, attributes: Attributes): void;
  recordCount(name: string, count: number, attributes: Attributes): void;
  addTokens(kind: string, count: number, attributes: Attributes): void;
}

/** @param meter Default: that of the application's global provider. */
export function createMetrics(meter: Meter | undefined): Metrics {
  const instruments = new Map<string, Histogram | Counter>();
  let provider = metrics.getMeterProvider();

  /** Returns an instrument, which is created on first use. */
  function instrument<Instrument extends Histogram | Counter>(
    name: string,
    create: (meter: Meter) => Instrument,
  ): Instrument {
    // The application may register its provider after this package is loaded.
    const current = metrics.getMeterProvider();
    if (current !== provider && meter === undefined) instruments.clear();
    provider = current;
    const found =
      (instruments.get(name) as Instrument | undefined) ?? create(meter ?? current.getMeter(SCOPE));
    instruments.set(name, found);
    return found;
  }

  const record = (name: string, value: number, { unit, bounds, attributes }: RecordOptions): void => {
    const advice = { explicitBucketBoundaries: bounds };
    safely(() =>
      instrument(name, meter => meter.createHistogram(name, { unit, advice })).record(value, attributes),
    );
  };

  return {
    isRecording: () => (meter ?? metrics.getMeterProvider().getMeter(SCOPE)) !== createNoopMeter(),
    recordDuration: (name, seconds, attributes) =>
      record(name, seconds, { unit: 's', bounds: DURATIONS, attributes }),
    recordCount: (name, count, attributes) =>
      record(name, count, { unit: '{call}', bounds: COUNTS, attributes }),
    addTokens(kind, count, attributes) {
      const name = `${METRIC.usage}.${kind}`;
      safely(() =>
        instrument(name, meter => meter.createCounter(name, { unit: '{token}' })).add(count, attributes),
      );
    },
  };
}

/** The name of the instrumentation. */
export const SCOPE = 'kelivo-responses';

interface RecordOptions {
  readonly unit: string;
  readonly bounds: number[];
  readonly attributes: Attributes;
}
