import type { WireEvent } from '../../shared/trace.js';

/**
 * Returns the numbers, from 1, of the events whose name or content contains the query, ignoring case. An empty query
 * matches all events, without a list of them.
 */
export function findEvents(events: readonly WireEvent[], query: string): readonly number[] | 'all' {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return 'all';
  return events.flatMap((event, index) => (toSearchText(event).includes(wanted) ? index + 1 : []));
}

/** Texts of events that have been searched. */
const searchTexts = new WeakMap<WireEvent, string>();

function toSearchText(event: WireEvent): string {
  const known = searchTexts.get(event);
  if (known !== undefined) return known;
  const text = `${event.name} ${JSON.stringify(event.data)}`.toLowerCase();
  searchTexts.set(event, text);
  return text;
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
