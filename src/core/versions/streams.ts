import type { PartSource } from '../source.js';
import type { PlainObject } from '../shared/json.js';

/** Maximum queue length of a stream. Each read shifts all queued parts, so long queues are slow. */
const MAX_QUEUED = 64;

/** Maximum number of parts that are read from a stream before they are needed. */
const MAX_AHEAD = 64;

/** Objects in batches as they arrive. See `PartSource`. */
export interface Batches<Item> {
  next(): Promise<readonly Item[] | undefined>;
  cancel: PartSource['cancel'];
}

/** Creates a stream of these objects. The source is not read before the stream is. */
export function toStream<Item>(batches: Batches<Item>): ReadableStream<Item> {
  let batch: readonly Item[] = [];
  let position = 0;

  function enqueue(controller: ReadableStreamDefaultController<Item>): void {
    const end = Math.min(position + MAX_QUEUED, batch.length);
    while (position < end) controller.enqueue(batch[position++] as Item);
  }

  return new ReadableStream<Item>(
    {
      pull(controller) {
        // Without a promise, because most parts are available.
        if (position < batch.length) return enqueue(controller);
        return batches.next().then(next => {
          if (next === undefined) return controller.close();
          batch = next;
          position = 0;
          enqueue(controller);
        });
      },
      cancel(reason) {
        batch = [];
        position = 0;
        batches.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Reads parts while those before are processed. A batch contains all that have arrived, so the layers above wait once
 * for several parts. Nothing is read before the first batch is requested.
 */
export function readAhead(stream: ReadableStream<unknown>): Batches<PlainObject> {
  const reader = stream.getReader() as ReadableStreamDefaultReader<PlainObject>;
  let arrived: PlainObject[] = [];
  let end: 'closed' | { error: unknown } | undefined;
  let isReading = false;
  let wake: (() => void) | undefined;

  function read(): void {
    if (isReading || end !== undefined || arrived.length >= MAX_AHEAD) return;
    isReading = true;
    reader.read().then(add, fail);
  }

  function add({ done, value }: ReadableStreamReadResult<PlainObject>): void {
    isReading = false;
    if (done) end = 'closed';
    else arrived.push(value);
    wake?.();
    read();
  }

  function fail(error: unknown): void {
    isReading = false;
    end = { error };
    wake?.();
  }

  return {
    async next() {
      read();
      if (arrived.length === 0 && end === undefined) await new Promise<void>(resolve => (wake = resolve));
      wake = undefined;
      if (arrived.length === 0) {
        if (end === 'closed' || end === undefined) return undefined;
        throw end.error;
      }
      const batch = arrived;
      arrived = [];
      read();
      return batch;
    },
    cancel: reason => void reader.cancel(reason).catch(() => {}),
  };
}
