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

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Cuts a text where it holds what is looked for, whatever its case. Nothing of it is lost. */
export function splitMatches(text: string, query: string): Piece[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return text === '' ? [] : [{ text, isMatch: false }];
  const lower = text.toLowerCase();
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), isMatch: false });
    from = at + wanted.length;
    pieces.push({ text: text.slice(at, from), isMatch: true });
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false });
  return pieces;
}
