import { describe, expect, it } from 'vitest';
import { toTrace } from '../../../playground/shared/trace.js';
import { compareTraces } from '../../../playground/web/lib/compare-traces.js';
import { diffJson } from '../../../playground/web/lib/diff-json.js';
import { filterEvents } from '../../../playground/web/lib/filter-events.js';
import { formatAge, formatDuration, formatNumberOf } from '../../../playground/web/lib/format.js';
import { shortenPaths } from '../../../playground/web/lib/shorten-paths.js';
import { splitMatches } from '../../../playground/web/lib/split-matches.js';
import { sumUsage } from '../../../playground/web/lib/sum-usage.js';
import { summarizeEvent } from '../../../playground/web/lib/summarize-event.js';
import { toJsonLines } from '../../../playground/web/lib/to-json-lines.js';
import { toOutputPieces } from '../../../playground/web/lib/tool-output.js';

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

describe('an event in one line', () => {
  it.each([
    { data: { delta: ' Rome\n' }, expected: '" Rome\\n"' },
    {
      data: { item: { type: 'function_call', name: 'get-sum', arguments: '{"a":1}' } },
      expected: 'function_call · get-sum {"a":1}',
    },
    { data: { item: { type: 'message', status: 'in_progress' } }, expected: 'message · in_progress' },
    {
      data: { response: { status: 'completed', usage: { input_tokens: 3, output_tokens: 4 } } },
      expected: 'completed · 3 in, 4 out',
    },
    { data: { response: { status: 'failed', error: { message: 'No.' } } }, expected: 'No.' },
    { data: { error: { message: 'Too many.' } }, expected: 'Too many.' },
    { data: '[DONE]', expected: '[DONE]' },
    { data: { type: 'unknown' }, expected: '' },
    { data: null, expected: '' },
  ])('says $expected', ({ data, expected }) => {
    expect(summarizeEvent(data)).toBe(expected);
  });
});

describe('coloured JSON', () => {
  it('is the indented JSON again when its pieces are joined', () => {
    const value = { text: 'a "quoted": key', list: [1, null, true, { deep: [] }], '': 'x\ny' };
    const lines = toJsonLines(value).map(tokens => tokens.map(({ text }) => text).join(''));

    expect(lines.join('\n')).toBe(JSON.stringify(value, null, 2));
  });

  it('tells keys, strings and other values apart', () => {
    const kinds = toJsonLines({ name: 'x', count: 1 }).map(tokens => tokens.map(({ kind }) => kind));

    expect(kinds).toEqual([['plain'], ['plain', 'key', 'string'], ['plain', 'key', 'literal'], ['plain']]);
  });

  it('shows a value that JSON does not know', () => {
    expect(toJsonLines(undefined)).toEqual([[{ text: 'undefined', kind: 'plain' }]]);
  });
});

describe('the output of a tool', () => {
  it('is taken apart into texts, images and the rest', () => {
    const pieces = toOutputPieces({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'demo://1' },
      ],
      structuredContent: { ok: true },
    });

    expect(pieces).toEqual([
      { kind: 'text', text: 'Look:' },
      { kind: 'image', url: 'data:image/png;base64,AAAA' },
      { kind: 'json', value: { type: 'resource_link', uri: 'demo://1' } },
      { kind: 'json', value: { ok: true } },
    ]);
  });

  it('is no image when the picture could hold scripts', () => {
    const [piece] = toOutputPieces({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' }] });

    expect(piece?.kind).toBe('json');
  });

  it('may be any JSON of a local tool', () => {
    expect(toOutputPieces({ words: 9 })).toEqual([{ kind: 'json', value: { words: 9 } }]);
    expect(toOutputPieces('plain')).toEqual([{ kind: 'text', text: 'plain' }]);
  });
});

describe('a comparison', () => {
  it('marks what differs, but no times', () => {
    const first = toTrace([
      { type: 'first-token', at: 10 },
      { type: 'turn-end', at: 100, end: 'finished', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const second = toTrace([
      { type: 'first-token', at: 20 },
      { type: 'turn-end', at: 200, end: 'failed', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const different = compareTraces(first, second).filter(({ isDifferent }) => isDifferent);

    expect(different).toEqual([{ title: 'Ended', values: ['finished', 'failed'], isDifferent: true }]);
  });

  it('lists the places where two requests differ', () => {
    const differences = diffJson(
      { model: 'm', tools: [{ name: 'a', strict: false }], store: false },
      { model: 'm', tools: [{ name: 'a' }, { name: 'b' }], store: true },
    );

    expect(differences).toEqual([
      { path: 'tools[0].strict', first: false, second: undefined },
      { path: 'tools[1]', first: undefined, second: { name: 'b' } },
      { path: 'store', first: false, second: true },
    ]);
  });
});

describe('numbers and names', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1250, '1.25 s'],
    [12_340, '12.3 s'],
    [65_000, '1 min 5 s'],
  ])('writes %d milliseconds as %s', (milliseconds, expected) => {
    expect(formatDuration(milliseconds)).toBe(expected);
  });

  it('counts in words', () => {
    expect([1, 2, 1000].map(count => formatNumberOf(count, 'round'))).toEqual([
      '1 round',
      '2 rounds',
      '1,000 rounds',
    ]);
  });

  it('says how long ago something was', () => {
    const now = Date.parse('2026-01-02T12:00:00Z');
    const ages = [
      '2026-01-02T11:59:30Z',
      '2026-01-02T11:55:00Z',
      '2026-01-02T09:00:00Z',
      '2025-12-24T12:00:00Z',
    ];

    expect(ages.map(time => formatAge(time, { now }))).toEqual([
      'just now',
      '5 min ago',
      '3 h ago',
      '24 Dec 2025',
    ]);
  });

  it('adds up tokens and leaves unknown what nobody counted', () => {
    expect(sumUsage([{ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3 }])).toEqual({
      inputTokens: 4,
      outputTokens: 2,
    });
  });

  it('keeps the ends of long paths and leaves addresses alone', () => {
    expect(shortenPaths('node /home/a/node_modules/server/dist/index.js --in /data')).toBe(
      'node …/server/dist/index.js --in /data',
    );
    expect(shortenPaths('https://example.com/a/b/c/d/e/f')).toBe('https://example.com/a/b/c/d/e/f');
  });
});
