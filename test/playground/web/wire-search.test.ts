import { describe, expect, it } from 'vitest';
import { filterEvents } from '../../../playground/web/lib/wire-search.js';
import { splitMatches } from '../../../playground/web/lib/wire-search.js';

describe('the wire search', () => {
  const events = [
    { at: 1, name: 'response.created', data: { id: 'resp_1' } },
    { at: 2, name: 'response.output_text.delta', data: { delta: 'Rome' } },
  ];

  it('finds events by name and by content, whatever the case, and keeps their numbers', () => {
    expect(filterEvents(events, 'rome').map(({ number }) => number)).toEqual([2]);
    expect(filterEvents(events, 'CREATED').map(({ number }) => number)).toEqual([1]);
    expect(filterEvents(events, ' ')).toHaveLength(2);
    expect(filterEvents(events, 'Paris')).toEqual([]);
  });

  it.each([
    { text: 'aXbxc', query: 'x', pieces: ['a', 'X', 'b', 'x', 'c'] },
    { text: 'xx', query: 'x', pieces: ['x', 'x'] },
    { text: 'nothing', query: '?', pieces: ['nothing'] },
    { text: '', query: 'x', pieces: [] },
  ])('marks "$query" in "$text" and loses nothing', ({ text, query, pieces }) => {
    const found = splitMatches(text, query);

    expect(found.map(piece => piece.text)).toEqual(pieces);
    expect(found.filter(({ isMatch }) => isMatch).every(piece => /^x$/i.test(piece.text))).toBe(true);
  });
});
