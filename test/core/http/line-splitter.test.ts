import { expect, it } from 'vitest';
import { createLineSplitter } from '../../../src/core/http/text-stream.js';
import { forEachChunking } from '../../_chunking.js';

const TEXT = 'one\ntwo\r\nthree\rfour\r\r\n\n\rfive';

function split(chunks: readonly Uint8Array[], lineEnd?: 'any' | 'lf'): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(line => lines.push(line), lineEnd);
  const decoder = new TextDecoder();
  for (const chunk of chunks) splitter.push(decoder.decode(chunk, { stream: true }));
  splitter.end();
  return lines;
}

forEachChunking('splits at LF, CR and CRLF', TEXT, chunks => {
  expect(split(chunks)).toEqual(['one', 'two', 'three', 'four', '', '', '', 'five']);
});

forEachChunking('splits at LF only', TEXT, chunks => {
  expect(split(chunks, 'lf')).toEqual(['one', 'two\r', 'three\rfour\r\r', '', '\rfive']);
});

it('counts the characters and the chunks of an unfinished line', () => {
  const splitter = createLineSplitter(() => {});
  for (const text of ['one\ntw', 'o']) splitter.push(text);
  expect([splitter.bufferedLength, splitter.bufferedChunks]).toEqual([3, 2]);
  splitter.push('\n');
  expect([splitter.bufferedLength, splitter.bufferedChunks]).toEqual([0, 0]);
});
