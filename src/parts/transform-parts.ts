import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { createPartStream } from './create-part-stream.js';

type Emit = (part: LanguageModelV2StreamPart) => void;

/** Rewrites a stream of parts. */
export interface PartTransformer {
  /** Emits what takes the place of `part`: nothing, the part itself, or others. */
  part(part: LanguageModelV2StreamPart, emit: Emit): void;
  /** Emits what is still held back when the stream has closed. */
  flush?(emit: Emit): void;
}

/** The stream with each part rewritten. Cancelling it cancels `stream`; an error of `stream` is its error. */
export function transformParts(
  stream: ReadableStream<LanguageModelV2StreamPart>,
  { part: transform, flush }: PartTransformer,
): ReadableStream<LanguageModelV2StreamPart> {
  const reader = stream.getReader();
  return createPartStream(
    async ({ write, ready }) => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        transform(value, write);
        await ready();
      }
      flush?.(write);
    },
    { onCancel: reason => void reader.cancel(reason).catch(() => undefined) },
  );
}
