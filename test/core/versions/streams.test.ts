import { describe, expect, it } from 'vitest';
import type { Part } from '../../../src/core/part.js';
import { type Batches, readAhead } from '../../../src/core/versions/read-ahead.js';
import { toStream } from '../../../src/core/versions/write-response.js';
import { collect } from '../../_parts.js';

const partsOf = (from: number, count: number): Part[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'text-delta', id: String(from + index), delta: '' }));

interface Scripted extends Batches<Part> {
  readonly cancelled: unknown[];
  readonly requested: number;
}

/** Returns a source of these batches that ends or fails after them. */
function scripted(batches: readonly Part[][], failure?: Error): Scripted {
  const cancelled: unknown[] = [];
  let requested = 0;
  return {
    cancelled,
    get requested() {
      return requested;
    },
    async next() {
      const batch = batches[requested++];
      if (batch === undefined && failure !== undefined) throw failure;
      return batch;
    },
    cancel: reason => void cancelled.push(reason),
  };
}

async function collectBatches<Item>(batches: Batches<Item>): Promise<Item[][]> {
  const all: Item[][] = [];
  for (let parts = await batches.next(); parts !== undefined; parts = await batches.next())
    all.push([...parts]);
  return all;
}

describe('toStream', () => {
  it.each([[[1]], [[63, 64, 65]], [[1000, 1, 130]]])('streams batches of %j parts in order', async sizes => {
    let from = 0;
    const batches = sizes.map(size => partsOf((from += size) - size, size));
    expect(await collect(toStream(scripted(batches)))).toEqual(batches.flat());
  });

  it('requests nothing before the first read, and then one batch at a time', async () => {
    const source = scripted([partsOf(0, 2), partsOf(2, 2)]);
    const reader = toStream(source).getReader();
    expect(source.requested).toBe(0);
    await reader.read();
    await reader.read();
    expect(source.requested).toBe(1);
    await reader.read();
    expect(source.requested).toBe(2);
  });

  it('fails with the error of its source after the earlier parts', async () => {
    const failure = new Error('broken');
    const reader = toStream(scripted([partsOf(0, 1)], failure)).getReader();
    expect(await reader.read()).toEqual({ done: false, value: partsOf(0, 1)[0] });
    await expect(reader.read()).rejects.toBe(failure);
  });

  it('cancels its source with the reason', async () => {
    const source = scripted([partsOf(0, 100)]);
    const reader = toStream(source).getReader();
    await reader.read();
    await reader.cancel('enough');
    expect(source.cancelled).toEqual(['enough']);
  });
});

describe('readAhead', () => {
  it('reads a stream, and passes on its error and a cancellation', async () => {
    const failure = new Error('broken');
    const cancelled: unknown[] = [];
    const streamThat = (end: (controller: ReadableStreamDefaultController<Part>) => void) =>
      new ReadableStream<Part>(
        {
          start: controller => partsOf(0, 2).forEach(part => controller.enqueue(part)),
          pull: end,
          cancel: reason => void cancelled.push(reason),
        },
        { highWaterMark: 0 },
      );
    const closing = readAhead(streamThat(controller => controller.close()));
    expect((await collectBatches(closing)).flat()).toEqual(partsOf(0, 2));
    const failing = readAhead(streamThat(controller => controller.error(failure)));
    await expect(collectBatches(failing)).rejects.toBe(failure);

    const waiting = readAhead(streamThat(() => {}));
    await waiting.next();
    await waiting.next();
    const next = waiting.next();
    waiting.cancel('enough');
    expect(await next).toBeUndefined();
    expect(cancelled).toEqual(['enough']);
  });
});
