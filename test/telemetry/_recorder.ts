import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type Span,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach } from 'vitest';

/** Positions of spans by their ids. */
const startOrder = new Map<string, number>();

/** Registers an OpenTelemetry SDK for the tests of a file, and records their spans in the order in which they end. */
export function useRecorder() {
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor(exporter);
  /** Starts and ends in their order. Spans of an SDK start at whole milliseconds. */
  const events: string[] = [];
  const order = {
    onStart(span: Span): void {
      startOrder.set(span.spanContext().spanId, startOrder.size);
      events.push(`start ${span.name}`);
    },
    onEnd: ({ name }: ReadableSpan): void => void events.push(`end ${name}`),
    forceFlush: async (): Promise<void> => {},
    shutdown: async (): Promise<void> => {},
  };
  const provider = new NodeTracerProvider({ spanProcessors: [order, processor] });
  provider.register();
  afterEach(() => {
    exporter.reset();
    events.length = 0;
  });
  afterAll(async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
    propagation.disable();
  });
  return {
    events,
    get spans() {
      return exporter.getFinishedSpans();
    },
    /** Returns the only span of a name. */
    span(name: string): ReadableSpan {
      const [found, ...others] = exporter.getFinishedSpans().filter(span => span.name === name);
      if (found === undefined || others.length > 0) {
        const count = found === undefined ? 0 : others.length + 1;
        throw new Error(`Expected one span "${name}", got ${count}.`);
      }
      return found;
    },
    tree: () => toTree(exporter.getFinishedSpans()),
    /** Everything that was exported, as text. */
    exported: () =>
      JSON.stringify(
        exporter
          .getFinishedSpans()
          .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      ),
  };
}

export const idOf = (span: ReadableSpan): string => span.spanContext().spanId;

/** Returns the names of spans, indented by depth, in the order of their start. */
export function toTree(
  spans: readonly ReadableSpan[],
  parent?: string,
  indent = '',
  label: (span: ReadableSpan) => string = labelOf,
): string[] {
  const isChild = ({ parentSpanContext }: ReadableSpan): boolean =>
    parent === undefined
      ? !spans.some(span => idOf(span) === parentSpanContext?.spanId)
      : parentSpanContext?.spanId === parent;
  return spans
    .filter(isChild)
    .toSorted((a, b) => (startOrder.get(idOf(a)) ?? 0) - (startOrder.get(idOf(b)) ?? 0))
    .flatMap(span => [indent + label(span), ...toTree(spans, idOf(span), `${indent}  `, label)]);
}

const labelOf = ({ name, attributes }: ReadableSpan): string => {
  const round = attributes['kelivo.round'];
  return name.startsWith('chat') && round !== undefined ? `${name} (round ${String(round)})` : name;
};
