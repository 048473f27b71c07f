import type { WireEvent } from '../../shared/trace.js';

export interface FoundEvent {
  readonly event: WireEvent;
  /** Its place among all events, from 1. */
  readonly number: number;
}

/** The events whose name or content holds the text, whatever its case; all without one. */
export function filterEvents(events: readonly WireEvent[], query: string): readonly FoundEvent[] {
  const wanted = query.trim().toLowerCase();
  const numbered = events.map((event, index) => ({ event, number: index + 1 }));
  if (wanted === '') return numbered;
  return numbered.filter(({ event }) =>
    `${event.name} ${JSON.stringify(event.data)}`.toLowerCase().includes(wanted),
  );
}
