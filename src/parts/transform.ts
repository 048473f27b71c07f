import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { readBatches, streamBatches } from './batches.js';

type Emit = (part: LanguageModelV2StreamPart) => void;

/** Rewrites the parts of a stream. */
export interface PartTransformer {
  /** Emits the replacement of `part`: nothing, the part itself, or others. */
  part(part: LanguageModelV2StreamPart, emit: Emit): void;
  /** Emits the parts that are still held back when the stream has closed. */
  flush?(emit: Emit): void;
}

/**
 * Returns the stream with its parts rewritten. Cancelling it cancels `stream`, and an error of `stream` is passed on. A
 * transformer that throws ends both.
 */
export function transformParts(
  stream: ReadableStream<LanguageModelV2StreamPart>,
  { part: transform, flush }: PartTransformer,
): ReadableStream<LanguageModelV2StreamPart> {
  const source = readBatches(stream);
  let emitted: LanguageModelV2StreamPart[] = [];
  let end: 'closed' | { error: unknown } | undefined;
  const emit: Emit = part => void emitted.push(part);

  return streamBatches({
    async next() {
      while (emitted.length === 0) {
        if (end === 'closed') return undefined;
        if (end !== undefined) throw end.error;
        take(await source.next());
      }
      const batch = emitted;
      emitted = [];
      return batch;
    },
    cancel: source.cancel,
  });

  function take(parts: readonly LanguageModelV2StreamPart[] | undefined): void {
    try {
      for (const part of parts ?? []) transform(part, emit);
      if (parts !== undefined) return;
      end = 'closed';
      flush?.(emit);
    } catch (error) {
      // Parts that were emitted before are still delivered.
      end = { error };
      source.cancel(error);
    }
  }
}
