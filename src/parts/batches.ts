import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';

/** A source of parts in batches. */
export interface PartBatches {
  /** Returns at least one part; undefined after the last one. Rejects when the source fails. */
  next(): Promise<readonly LanguageModelV2StreamPart[] | undefined>;
  /** Ends the source. A pending `next` must not stay pending. */
  cancel(reason: unknown): void;
}

/** Maximum queue length of a stream. Each read shifts all queued parts, so long queues are slow. */
const MAX_QUEUED = 64;

/** Maximum number of parts that are read from a stream before they are needed. */
const MAX_AHEAD = 64;

/** The sources of streams made by this module that have not been read from. */
const sources = new WeakMap<ReadableStream<LanguageModelV2StreamPart>, PartBatches>();

/** Creates a stream of these parts. The source is not read before the stream is. */
export function streamBatches(batches: PartBatches): ReadableStream<LanguageModelV2StreamPart> {
  let batch: readonly LanguageModelV2StreamPart[] = [];
  let position = 0;
  let isStarted = false;

  function enqueue(controller: ReadableStreamDefaultController<LanguageModelV2StreamPart>): void {
    const parts = batch.slice(position, position + MAX_QUEUED);
    position += parts.length;
    for (const part of parts) controller.enqueue(part);
  }

  const stream = new ReadableStream<LanguageModelV2StreamPart>(
    {
      pull(controller) {
        if (!isStarted) sources.delete(stream);
        isStarted = true;
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
  sources.set(stream, batches);
  return stream;
}

/**
 * Takes over a stream to read it to its end. Between layers of this package, parts are passed in batches and bypass the
 * queues of the streams, which cost a promise for every part.
 */
export function readBatches(stream: ReadableStream<LanguageModelV2StreamPart>): PartBatches {
  const source = sources.get(stream);
  // Locks the stream, as any reader does.
  const reader = stream.getReader();
  return source ?? readAhead(reader);
}

/**
 * Reads parts while those before are processed. A batch contains all that have arrived, so the layers above wait once
 * for several parts. Nothing is read before the first batch is requested.
 */
function readAhead(reader: ReadableStreamDefaultReader<LanguageModelV2StreamPart>): PartBatches {
  let arrived: LanguageModelV2StreamPart[] = [];
  let end: 'closed' | { error: unknown } | undefined;
  let isReading = false;
  let wake: (() => void) | undefined;

  function read(): void {
    if (isReading || end !== undefined || arrived.length >= MAX_AHEAD) return;
    isReading = true;
    reader.read().then(add, fail);
  }

  function add({ done, value }: ReadableStreamReadResult<LanguageModelV2StreamPart>): void {
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

  async function next(): Promise<readonly LanguageModelV2StreamPart[] | undefined> {
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
  }

  return { next, cancel: reason => void reader.cancel(reason).catch(() => {}) };
}
