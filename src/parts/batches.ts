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

/** The sources of streams made by this module that have not been read from. */
const sources = new WeakMap<ReadableStream<LanguageModelV2StreamPart>, PartBatches>();

/** Creates a stream of these parts. The source is not read before the stream is. */
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
        const parts = batch.slice(position, position + MAX_QUEUED);
        position += parts.length;
        for (const part of parts) controller.enqueue(part);
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
  if (source !== undefined) return source;
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? undefined : [value];
    },
    cancel: reason => void reader.cancel(reason).catch(() => {}),
  };
}
