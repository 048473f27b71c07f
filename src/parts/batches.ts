import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';

/** Parts as they come, many at a time. */
export interface PartBatches {
  /** The next parts, at least one; undefined after the last. Rejects when the source breaks. */
  next(): Promise<readonly LanguageModelV2StreamPart[] | undefined>;
  /** Ends the source. A `next` that is waiting must not go on waiting. */
  cancel(reason: unknown): void;
}

/** The most that waits in the queue of a stream: each part that is read shifts all that are behind it. */
const QUEUED = 64;

/** What our own streams are made of, as long as nobody has read from them. */
const sources = new WeakMap<ReadableStream<LanguageModelV2StreamPart>, PartBatches>();

/** A stream of these parts. Nothing is asked of the source before somebody reads. */
export function streamBatches(batches: PartBatches): ReadableStream<LanguageModelV2StreamPart> {
  let batch: readonly LanguageModelV2StreamPart[] = [];
  let position = 0;

  const stream = new ReadableStream<LanguageModelV2StreamPart>(
    {
      async pull(controller) {
        sources.delete(stream);
        if (position === batch.length) {
          const next = await batches.next();
          if (next === undefined) return controller.close();
          batch = next;
          position = 0;
        }
        for (const end = Math.min(position + QUEUED, batch.length); position < end; position++) {
          controller.enqueue(batch[position]);
        }
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
 * Takes a stream over to read it to its end. Between layers of this package the parts go in batches, and past the queues
 * of the streams, of which every part costs a promise.
 */
export function readBatches(stream: ReadableStream<LanguageModelV2StreamPart>): PartBatches {
  const source = sources.get(stream);
  // Locked, as any stream that somebody reads.
  const reader = stream.getReader();
  if (source !== undefined) return source;
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? undefined : [value];
    },
    cancel: reason => void reader.cancel(reason).catch(() => {}),
  };
}
