import { describe, expect, it } from 'vitest';
import { createUtf8Decoder } from '../../../src/core/http/text-stream.js';
import { createRandom } from '../../_chunking.js';

/** Decodes chunks of the given sizes, the last of which repeats. */
function decode(bytes: Uint8Array, sizes: readonly number[]): string {
  const decoder = createUtf8Decoder();
  let text = '';
  for (let start = 0, index = 0; start < bytes.length; index++) {
    const size = sizes[Math.min(index, sizes.length - 1)] ?? 1;
    text += decoder.decode(bytes.subarray(start, start + size));
    start += size;
  }
  return text + decoder.decode(undefined);
}

const expected = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('UTF-8 decoder', () => {
  it.each([1, 2, 3, 4, 5, 7])('decodes characters of all lengths in chunks of %i bytes', size => {
    const bytes = new TextEncoder().encode('a é € 😀 \u{10ffff} é\r\n'.repeat(5));
    expect(decode(bytes, [size])).toBe(expected(bytes));
  });

  it('returns a character as soon as its last byte has arrived', () => {
    const decoder = createUtf8Decoder();
    const bytes = new TextEncoder().encode('x€y');
    expect(decoder.decode(bytes.subarray(0, 3))).toBe('x');
    expect(decoder.decode(bytes.subarray(3, 4))).toBe('€');
    expect(decoder.decode(bytes.subarray(4))).toBe('y');
  });

  it('removes a byte order mark from the beginning only', () => {
    const bytes = new TextEncoder().encode('\uFEFFa\uFEFFb');
    expect(decode(bytes, [1])).toBe('a\uFEFFb');
    expect(decode(bytes, [100])).toBe('a\uFEFFb');
    expect(decode(new Uint8Array([0xef, 0xbb]), [1])).toBe('\uFFFD');
  });

  it('does not return bytes of a chunk that its owner changes later', () => {
    const decoder = createUtf8Decoder();
    const chunk = new TextEncoder().encode('a€').subarray(0, 3);
    expect(decoder.decode(chunk)).toBe('a');
    chunk.fill(0x41);
    expect(decoder.decode(new Uint8Array([0xac]))).toBe('€');
  });

  it('replaces invalid bytes as TextDecoder does, whatever the chunks', () => {
    const random = createRandom(7);
    // Bytes that begin, continue and end sequences, and those that are never valid.
    const interesting = [
      0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xef, 0xbb, 0xf0, 0xf4, 0xf8, 0xff,
    ];
    for (let round = 0; round < 5_000; round++) {
      const length = 1 + Math.floor(random() * 12);
      const bytes = Uint8Array.from(
        { length },
        () => interesting[Math.floor(random() * interesting.length)] ?? 0,
      );
      const sizes = Array.from({ length }, () => 1 + Math.floor(random() * 4));
      expect(decode(bytes, sizes), bytes.join(' ')).toBe(expected(bytes));
    }
  });
});
