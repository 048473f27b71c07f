import { describe, expect, it } from 'vitest';
import { findEvents } from '../../../playground/web/traces/wire-search.js';
import { splitMatches } from '../../../playground/web/traces/wire-search.js';

describe('the wire search', () => {
  const events = [
    { at: 1, name: 'response.created', data: { id: 'resp_1' } },
    { at: 2, name: 'response.output_text.delta', data: { delta: 'Rome' } },
  ];

  it('finds events by name and content, ignores case, and keeps their numbers', () => {
    expect(findEvents(events, 'rome')).toEqual([2]);
    expect(findEvents(events, 'CREATED')).toEqual([1]);
    expect(findEvents(events, ' ')).toBe('all');
    expect(findEvents(events, 'Paris')).toEqual([]);
  });

  it.each([
    { text: 'aXbxc', query: 'x', segments: ['a', 'X', 'b', 'x', 'c'] },
    { text: 'xx', query: 'x', segments: ['x', 'x'] },
    { text: 'nothing', query: '?', segments: ['nothing'] },
    { text: '', query: 'x', segments: [] },
  ])('marks "$query" in "$text" and keeps the complete text', ({ text, query, segments }) => {
    const found = splitMatches(text, query);

    expect(found.map(segment => segment.text)).toEqual(segments);
    expect(found.filter(({ isMatch }) => isMatch).every(segment => /^x$/i.test(segment.text))).toBe(true);
  });
});
