import type { PartSource } from '../source.js';
import type { PlainObject } from '../shared/json.js';

/** Maximum number of parts that are read from a stream before they are needed. */
const MAX_AHEAD = 64;

/** Objects in batches as they arrive. See `PartSource`. */
export interface Batches<Item> {
  next(): Promise<readonly Item[] | undefined>;
  cancel: PartSource['cancel'];
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

  function add(result: ReadableStreamReadResult<PlainObject>): void {
    isReading = false;
    if (result.done) end = 'closed';
    else arrived.push(result.value);
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
