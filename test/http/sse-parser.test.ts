import { describe, expect, it } from 'vitest';
import { createSseParser, type SseEvent } from '../../src/http/sse-parser.js';
import { forEachChunking } from '../_chunking.js';

function parse(pieces: readonly string[]): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createSseParser(event => events.push(event));
  for (const piece of pieces) parser.feed(piece);
  parser.end();
  return events;
}

/** Decodes as the reader of an answer does: characters may be cut, too. */
function parseBytes(chunks: readonly Uint8Array[]): SseEvent[] {
  const decoder = new TextDecoder();
  return parse([...chunks.map(chunk => decoder.decode(chunk, { stream: true })), decoder.decode()]);
}

const CASES: readonly [title: string, body: string, events: SseEvent[]][] = [
  ['splits lines at LF', 'event: a\ndata: 1\n\ndata: 2\n\n', [named('a', '1'), unnamed('2')]],
  ['splits lines at CR', 'event: a\rdata: 1\r\rdata: 2\r\r', [named('a', '1'), unnamed('2')]],
  [
    'takes CRLF for one line end',
    'event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n',
    [named('a', '1'), unnamed('2')],
  ],
  [
    'takes line ends that are mixed',
    'event: a\rdata: 1\r\n\ndata: 2\n\r\ndata: 3\r\r',
    [named('a', '1'), unnamed('2'), unnamed('3')],
  ],
  ['takes LF and CR in this order for two line ends', 'data: 1\n\rdata: 2\n\n', [unnamed('1'), unnamed('2')]],
  ['passes over a byte order mark', '\uFEFFdata: 1\n\n', [unnamed('1')]],
  ['passes over comments', ': hello\ndata: 1\n:\n: bye\ndata: 2\n\n:\n\n', [unnamed('1\n2')]],
  ['joins data lines with LF', 'data: {\ndata: "a":\ndata:  1}\n\n', [unnamed('{\n"a":\n 1}')]],
  [
    'takes a data line without a colon for an empty one',
    'data\n\ndata: 1\ndata\n\n',
    [unnamed(''), unnamed('1\n')],
  ],
  ['removes one space after the colon, not more', 'data:1\n\ndata:  2\n\n', [unnamed('1'), unnamed(' 2')]],
  ['takes an event line that stands after its data', 'data: 1\nevent: a\n\n', [named('a', '1')]],
  ['forgets the name of an event without data', 'event: a\n\ndata: 1\n\n', [unnamed('1')]],
  [
    'ignores ids, retry times and unknown fields',
    'id: 7\nretry: 10\nfoo: bar\ndatax: 2\ndata: 1\n\n',
    [unnamed('1')],
  ],
  [
    'gives the last event though its blank line is missing',
    'data: 1\n\ndata: 2\n',
    [unnamed('1'), unnamed('2')],
  ],
  ['gives the last event though its line does not end', 'data: 1\n\ndata: 2', [unnamed('1'), unnamed('2')]],
  ['gives [DONE] as it comes', 'data: [DONE]\n\n', [unnamed('[DONE]')]],
  [
    'keeps colons and line separators of Unicode in data',
    'data: a:b\u2028c\u0085d\n\n',
    [unnamed('a:b\u2028c\u0085d')],
  ],
  ['joins characters that are cut in the middle', 'data: ü€🏔️ 你好\n\n', [unnamed('ü€🏔️ 你好')]],
  ['gives nothing for an empty body', '', []],
  ['gives nothing for blank lines', '\n\r\n\r\n\n', []],
];

describe('createSseParser', () => {
  for (const [title, body, events] of CASES) {
    forEachChunking(title, body, chunks => {
      expect(parseBytes(chunks)).toEqual(events);
    });
  }

  it('takes a CRLF that is cut between its characters for one line end', () => {
    expect(parse(['data: 1\r', '\ndata: 2\r', '\n\r', '\n'])).toEqual([unnamed('1\n2')]);
  });

  it('takes a CRLF for one line end though an empty piece comes between its characters', () => {
    expect(parse(['data: 1\r', '', '\ndata: 2\r', '', '\n', '\r\n'])).toEqual([unnamed('1\n2')]);
  });

  it('gives an event as soon as its blank line has come', () => {
    const events: SseEvent[] = [];
    const parser = createSseParser(event => events.push(event));
    parser.feed('data: 1\n');
    expect(events).toEqual([]);
    parser.feed('\ndata: 2');
    expect(events).toEqual([unnamed('1')]);
  });

  it('reads a line of a million characters that comes four at a time', () => {
    const line = 'abcd'.repeat(250_000);
    const pieces = ['data', ': ', ...Array<string>(250_000).fill('abcd'), '\n', '\n'];
    const [event, ...others] = parse(pieces);
    expect(event?.data === line).toBe(true);
    expect(others).toEqual([]);
  });
});

function named(event: string, data: string): SseEvent {
  return { event, data };
}

function unnamed(data: string): SseEvent {
  return { event: undefined, data };
}

it('counts a line that comes in pieces once', () => {
  const lengths: number[] = [];
  const parser = createSseParser(({ data }) => lengths.push(data.length));
  const piece = 'x'.repeat(1024 * 1024);
  parser.feed('data: ');
  for (let count = 0; count < 40; count++) parser.feed(piece);
  parser.feed('\n\n');
  expect(lengths).toEqual([40 * piece.length]);
});
