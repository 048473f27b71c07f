import type { TraceEvent, TraceFact } from '../../shared/trace-event.js';

/** Collects what happens in a turn and hands it on in small batches, so that a page is not flooded. */
export interface TraceRecorder {
  record(fact: TraceFact): void;
  /** Hands on what waits, at once. */
  flush(): void;
  /** Everything so far. */
  readonly events: readonly TraceEvent[];
}

export interface TraceRecorderOptions {
  /** Takes a batch, the oldest first. */
  readonly deliver: (events: readonly TraceEvent[]) => void;
  /** Milliseconds that events wait for others. @default 40 */
  readonly interval?: number;
  readonly now?: () => number;
}

export function createTraceRecorder({
  deliver,
  interval = 40,
  now = () => performance.now(),
}: TraceRecorderOptions): TraceRecorder {
  const startedAt = now();
  const events: TraceEvent[] = [];
  let delivered = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = events.slice(delivered);
    delivered = events.length;
    if (batch.length > 0) deliver(batch);
  }

  return {
    record(fact) {
      const at = Math.round((now() - startedAt) * 10) / 10;
      // TypeScript forgets which member of the union the rest belongs to.
      events.push({ ...fact, at } as TraceEvent);
      timer ??= setTimeout(flush, interval);
    },
    flush,
    events,
  };
}
