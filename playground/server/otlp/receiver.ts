import type { Apps } from '../apps/apps.js';
import type { Redactor } from '../redaction/redactor.js';
import type { ReceivedSpan } from './spans.js';
import { toSpanTurns } from './span-turns.js';

/** Collects spans until the turns of their trace are complete. */
export interface SpanReceiver {
  /** @param size Bytes of the request that contained them. */
  add(spans: readonly ReceivedSpan[], size: number): void;
}

/** Milliseconds after the last span of a trace. Exporters send the outer spans some seconds after the inner ones. */
const SETTLED = 10_000;
/** The same while the span around another one is missing: it ends when its tool does. The spans of a gateway may never come. */
const OPEN = 120_000;

const MAX_TRACES = 200;
const MAX_SPANS = 5000;
/** Bytes of all traces that are not complete. */
const MAX_SIZE = 128_000_000;

interface CollectedTrace {
  readonly spans: Map<string, ReceivedSpan>;
  /** Bytes, estimated. */
  size: number;
  timer?: NodeJS.Timeout;
}

export function createSpanReceiver({ apps, redactor }: { apps: Apps; redactor: Redactor }): SpanReceiver {
  const traces = new Map<string, CollectedTrace>();

  function settle(traceId: string): void {
    const trace = traces.get(traceId);
    if (trace === undefined) return;
    clearTimeout(trace.timer);
    traces.delete(traceId);
    apps.show(traceId, []);
    for (const turn of toSpanTurns([...trace.spans.values()], { redactor })) apps.store(turn);
  }

  return {
    add(spans, size) {
      for (const span of spans) {
        const trace = traces.get(span.traceId) ?? { spans: new Map<string, ReceivedSpan>(), size: 0 };
        traces.set(span.traceId, trace);
        if (trace.spans.size >= MAX_SPANS) continue;
        trace.spans.set(span.spanId, span);
        trace.size += size / spans.length;
      }
      for (const traceId of new Set(spans.map(span => span.traceId))) {
        const trace = traces.get(traceId);
        if (trace === undefined) continue;
        clearTimeout(trace.timer);
        const isOpen = [...trace.spans.values()].some(
          ({ parentSpanId }) => parentSpanId !== undefined && !trace.spans.has(parentSpanId),
        );
        trace.timer = setTimeout(() => settle(traceId), isOpen ? OPEN : SETTLED);
        // The playground may end before.
        trace.timer.unref();
        apps.show(traceId, toSpanTurns([...trace.spans.values()], { redactor }));
      }
      let total = [...traces.values()].reduce((sum, trace) => sum + trace.size, 0);
      for (const [traceId, trace] of [...traces]) {
        if (traces.size <= MAX_TRACES && total <= MAX_SIZE) break;
        total -= trace.size;
        settle(traceId);
      }
    },
  };
}
