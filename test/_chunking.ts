import { describe, it } from 'vitest';
import { isWhole } from './_products.js';

const SEEDS = isWhole ? [1, 2, 3] : [1];

/**
 * Defines a test for several chunkings of a body: one chunk, single bytes, and random chunks. The random chunks are the
 * same in each run.
 */
export function forEachChunking(
  title: string,
  body: string | Uint8Array,
  test: (chunks: Uint8Array[]) => Promise<void> | void,
): void {
  const bytes = toBytes(body);
  describe(title, () => {
    it('in one chunk', () => test([bytes]));
    it('byte by byte', () => test([...bytes].map(byte => Uint8Array.of(byte))));
    for (const seed of SEEDS) it(`in random chunks (${seed})`, () => test(splitRandomly(bytes, { seed })));
  });
}

/** Splits a body into chunks of 1 to `longest` bytes. The same seed gives the same chunks. */
export function splitRandomly(
  body: string | Uint8Array,
  { seed, longest = 40 }: { seed: number; longest?: number },
): Uint8Array[] {
  const bytes = toBytes(body);
  const random = createRandom(seed);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + 1 + Math.floor(random() * longest);
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}

/** Creates a response body that arrives in the given chunks. */
export const toBody = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

const toBytes = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

/** Mulberry32: a small generator of reproducible random numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
