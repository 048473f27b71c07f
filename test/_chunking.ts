import { describe, it } from 'vitest';

const SEEDS = [1, 2, 3];

/**
 * Runs a test over every way a body can be cut on its way: whole, byte by byte, and at random places, which are the
 * same in each run.
 */
export function forEachChunking(
  title: string,
  body: string | Uint8Array,
  test: (chunks: Uint8Array[]) => Promise<void> | void,
): void {
  const bytes = toBytes(body);
  describe(title, () => {
    it('whole', () => test([bytes]));
    it('byte by byte', () => test([...bytes].map(byte => Uint8Array.of(byte))));
    for (const seed of SEEDS) it(`cut at random places (${seed})`, () => test(cutRandomly(bytes, { seed })));
  });
}

/** Pieces of 1 to `longest` bytes. The same seed cuts at the same places. */
export function cutRandomly(
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

/** A response body that comes in these pieces. */
export const toBody = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

const toBytes = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

/** Mulberry32: small, seeded, and even enough to cut text. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
