import type { TraceEvent, TraceFact } from '../../shared/trace-event.js';

/** Records the events of a turn and delivers them in small batches, to limit the updates of the page. */
export interface TraceRecorder {
  record(fact: TraceFact): void;
  /** Schedules a delivery. */
  schedule(): void;
  /** Delivers pending events immediately. */
  flush(): void;
  /** All events so far. */
  readonly events: readonly TraceEvent[];
}

export interface TraceRecorderOptions {
  /** Called with each batch, oldest event first. */
  readonly deliver: (events: readonly TraceEvent[]) => void;
  /** Returns true if a batch must be delivered although it contains no event. @default false */
  readonly hasOther?: () => boolean;
  /** Milliseconds to collect a batch. @default 40 */
  readonly interval?: number;
  /** Events of the largest batch: timers are late while a fast endpoint keeps the process busy. @default 250 */
  readonly maxEvents?: number;
  readonly now?: () => number;
}

export function createTraceRecorder({
  deliver,
  hasOther = () => false,
  interval = 40,
  maxEvents = 250,
  now = () => performance.now(),
}: TraceRecorderOptions): TraceRecorder {
  const startedAt = now();
  const events: TraceEvent[] = [];
  let delivered = 0;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    timer ??= setTimeout(flush, interval);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = events.slice(delivered);
    delivered = events.length;
    if (batch.length > 0 || hasOther()) deliver(batch);
  }

  return {
    record(fact) {
      const at = Math.round((now() - startedAt) * 10) / 10;
      // The spread of a union member loses its type.
      events.push({ ...fact, at } as TraceEvent);
      if (events.length - delivered >= maxEvents) flush();
      else schedule();
    },
    schedule,
    flush,
    events,
  };
}
