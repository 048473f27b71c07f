import { describe, expect, it } from 'vitest';
import { createSseParser, type SseEvent } from '../../../src/core/http/text-stream.js';
import { forEachChunking } from '../../_chunking.js';

function parse(chunks: readonly string[]): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createSseParser(event => events.push(event));
  for (const chunk of chunks) parser.feed(chunk);
  parser.end();
  return events;
}

/** Decodes the chunks as a response does. Characters may be split between chunks. */
function parseBytes(chunks: readonly Uint8Array[]): SseEvent[] {
  const decoder = new TextDecoder();
  return parse([...chunks.map(chunk => decoder.decode(chunk, { stream: true })), decoder.decode()]);
}

const CASES: readonly [title: string, body: string, events: SseEvent[]][] = [
  ['splits lines at LF', 'event: a\ndata: 1\n\ndata: 2\n\n', [named('a', '1'), unnamed('2')]],
  ['splits lines at CR', 'event: a\rdata: 1\r\rdata: 2\r\r', [named('a', '1'), unnamed('2')]],
  [
    'treats CRLF as one line end',
    'event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n',
    [named('a', '1'), unnamed('2')],
  ],
  [
    'accepts mixed line ends',
    'event: a\rdata: 1\r\n\ndata: 2\n\r\ndata: 3\r\r',
    [named('a', '1'), unnamed('2'), unnamed('3')],
  ],
  ['treats LF followed by CR as two line ends', 'data: 1\n\rdata: 2\n\n', [unnamed('1'), unnamed('2')]],
  ['ignores a byte order mark', '\uFEFFdata: 1\n\n', [unnamed('1')]],
  ['ignores comments', ': hello\ndata: 1\n:\n: bye\ndata: 2\n\n:\n\n', [unnamed('1\n2')]],
  ['joins data lines with LF', 'data: {\ndata: "a":\ndata:  1}\n\n', [unnamed('{\n"a":\n 1}')]],
  [
    'treats a data line without a colon as an empty one',
    'data\n\ndata: 1\ndata\n\n',
    [unnamed(''), unnamed('1\n')],
  ],
  ['removes only one space after the colon', 'data:1\n\ndata:  2\n\n', [unnamed('1'), unnamed(' 2')]],
  ['accepts an event line after its data', 'data: 1\nevent: a\n\n', [named('a', '1')]],
  ['discards the name of an event without data', 'event: a\n\ndata: 1\n\n', [unnamed('1')]],
  [
    'ignores ids, retry times and unknown fields',
    'id: 7\nretry: 10\nfoo: bar\ndatax: 2\ndata: 1\n\n',
    [unnamed('1')],
  ],
  ['dispatches a last event without a blank line', 'data: 1\n\ndata: 2\n', [unnamed('1'), unnamed('2')]],
  ['dispatches a last event whose line does not end', 'data: 1\n\ndata: 2', [unnamed('1'), unnamed('2')]],
  ['returns [DONE] unchanged', 'data: [DONE]\n\n', [unnamed('[DONE]')]],
  [
    'keeps colons and Unicode line separators in data',
    'data: a:b\u2028c\u0085d\n\n',
    [unnamed('a:b\u2028c\u0085d')],
  ],
  ['joins characters that are split between chunks', 'data: ü€🏔️ 你好\n\n', [unnamed('ü€🏔️ 你好')]],
  ['dispatches nothing for an empty body', '', []],
  ['dispatches nothing for blank lines', '\n\r\n\r\n\n', []],
];

describe('createSseParser', () => {
  for (const [title, body, events] of CASES) {
    forEachChunking(title, body, chunks => {
      expect(parseBytes(chunks)).toEqual(events);
    });
  }

  it('treats a CRLF that is split between chunks as one line end', () => {
    expect(parse(['data: 1\r', '\ndata: 2\r', '\n\r', '\n'])).toEqual([unnamed('1\n2')]);
  });

  it('treats a CRLF as one line end if an empty chunk separates its characters', () => {
    expect(parse(['data: 1\r', '', '\ndata: 2\r', '', '\n', '\r\n'])).toEqual([unnamed('1\n2')]);
  });

  it('dispatches an event as soon as its blank line arrives', () => {
    const events: SseEvent[] = [];
    const parser = createSseParser(event => events.push(event));
    parser.feed('data: 1\n');
    expect(events).toEqual([]);
    parser.feed('\ndata: 2');
    expect(events).toEqual([unnamed('1')]);
  });

  it('reads a line of a million characters in chunks of four', () => {
    const line = 'abcd'.repeat(250_000);
    const chunks = ['data', ': ', ...Array<string>(250_000).fill('abcd'), '\n', '\n'];
    const [event, ...others] = parse(chunks);
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

it('counts a line that arrives in several chunks once', () => {
  const lengths: number[] = [];
  const parser = createSseParser(({ data }) => lengths.push(data.length));
  const chunk = 'x'.repeat(1024 * 1024);
  parser.feed('data: ');
  for (let count = 0; count < 40; count++) parser.feed(chunk);
  parser.feed('\n\n');
  expect(lengths).toEqual([40 * chunk.length]);
});
