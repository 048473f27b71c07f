import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { type PartBatches, readBatches, streamBatches } from '../../src/parts/batches.js';
import { collect } from '../_parts.js';

type Part = LanguageModelV2StreamPart;

const partsOf = (from: number, count: number): Part[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'text-delta', id: String(from + index), delta: '' }));

interface Scripted extends PartBatches {
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

async function collectBatches(batches: PartBatches): Promise<Part[][]> {
  const all: Part[][] = [];
  for (let parts = await batches.next(); parts !== undefined; parts = await batches.next())
    all.push([...parts]);
  return all;
}

describe('streamBatches', () => {
  it.each([[[1]], [[63, 64, 65]], [[1000, 1, 130]]])('streams batches of %j parts in order', async sizes => {
    let from = 0;
    const batches = sizes.map(size => partsOf((from += size) - size, size));
    expect(await collect(streamBatches(scripted(batches)))).toEqual(batches.flat());
  });

  it('requests nothing before the first read, and then one batch at a time', async () => {
    const source = scripted([partsOf(0, 2), partsOf(2, 2)]);
    const reader = streamBatches(source).getReader();
    expect(source.requested).toBe(0);
    await reader.read();
    await reader.read();
    expect(source.requested).toBe(1);
    await reader.read();
    expect(source.requested).toBe(2);
  });

  it('fails with the error of its source after the earlier parts', async () => {
    const failure = new Error('broken');
    const reader = streamBatches(scripted([partsOf(0, 1)], failure)).getReader();
    expect(await reader.read()).toEqual({ done: false, value: partsOf(0, 1)[0] });
    await expect(reader.read()).rejects.toBe(failure);
  });

  it('cancels its source with the reason', async () => {
    const source = scripted([partsOf(0, 100)]);
    const reader = streamBatches(source).getReader();
    await reader.read();
    await reader.cancel('enough');
    expect(source.cancelled).toEqual(['enough']);
  });
});

describe('readBatches', () => {
  it('returns the batches of a stream of this package unchanged, and locks the stream', async () => {
    const batches = [partsOf(0, 200), partsOf(200, 3)];
    const stream = streamBatches(scripted(batches));
    expect(await collectBatches(readBatches(stream))).toEqual(batches);
    expect(stream.locked).toBe(true);
    expect(() => readBatches(stream)).toThrow(TypeError);
  });

  it('loses no part of a partly read stream', async () => {
    const all = partsOf(0, 200);
    const stream = streamBatches(scripted([all]));
    const reader = stream.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const rest = await collectBatches(readBatches(stream));
    expect([value, ...rest.flat()]).toEqual(all);
  });

  it('reads any other stream, and passes on its error and a cancellation', async () => {
    const failure = new Error('broken');
    const cancelled: unknown[] = [];
    const toStream = (end: (controller: ReadableStreamDefaultController<Part>) => void) =>
      new ReadableStream<Part>(
        {
          start: controller => partsOf(0, 2).forEach(part => controller.enqueue(part)),
          pull: end,
          cancel: reason => void cancelled.push(reason),
        },
        { highWaterMark: 0 },
      );
    const closing = readBatches(toStream(controller => controller.close()));
    expect((await collectBatches(closing)).flat()).toEqual(partsOf(0, 2));
    const failing = readBatches(toStream(controller => controller.error(failure)));
    await expect(collectBatches(failing)).rejects.toBe(failure);

    const waiting = readBatches(toStream(() => {}));
    await waiting.next();
    await waiting.next();
    const next = waiting.next();
    waiting.cancel('enough');
    expect(await next).toBeUndefined();
    expect(cancelled).toEqual(['enough']);
  });
});
