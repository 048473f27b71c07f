import type { WireEvent } from '../../shared/trace.js';

export interface FoundEvent {
  readonly event: WireEvent;
  /** Number of the event, from 1. */
  readonly number: number;
}

/** Returns the events whose name or content contains the query, ignoring case. An empty query matches all events. */
export function filterEvents(events: readonly WireEvent[], query: string): readonly FoundEvent[] {
  const wanted = query.trim().toLowerCase();
  const numbered = events.map((event, index) => ({ event, number: index + 1 }));
  if (wanted === '') return numbered;
  return numbered.filter(({ event }) =>
    `${event.name} ${JSON.stringify(event.data)}`.toLowerCase().includes(wanted),
  );
}

export interface TextSegment {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Splits a text at the matches of the query, ignoring case. The joined segments equal the text. */
export function splitMatches(text: string, query: string): TextSegment[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return text === '' ? [] : [{ text, isMatch: false }];
  const lower = text.toLowerCase();
  const segments: TextSegment[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) segments.push({ text: text.slice(from, at), isMatch: false });
    from = at + wanted.length;
    segments.push({ text: text.slice(at, from), isMatch: true });
  }
  if (from < text.length) segments.push({ text: text.slice(from), isMatch: false });
  return segments;
}
