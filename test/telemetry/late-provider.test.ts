import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.js';

it('records metrics with the provider that the application registers last', async () => {
  onTestFinished(() => void metrics.disable());
  const recorded = createMetrics(undefined);
  expect(recorded.isRecording()).toBe(false);
  recorded.record('toolDuration', 1, {});
  for (let time = 1; time <= 2; time++) {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e8 });
    const provider = new MeterProvider({ readers: [reader] });
    metrics.disable();
    metrics.setGlobalMeterProvider(provider);
    expect(recorded.isRecording()).toBe(true);
    recorded.record('toolDuration', time, {});
    await reader.forceFlush();
    const points = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(scope => scope.metrics))
      .flatMap(({ dataPoints }): { value: unknown }[] => dataPoints);
    expect(points).toMatchObject([{ value: { count: 1, sum: time } }]);
    await provider.shutdown();
  }
});
