import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { streamBatches } from './batches.js';

/** Where a producer writes its parts. */
export interface PartSink {
  write(part: LanguageModelV2StreamPart): void;
  /** Resolves when the reader has caught up; undefined where there is room now. To be awaited between batches. */
  ready(): Promise<void> | undefined;
}

/** How far a producer may run ahead of its reader, in parts. */
const MAX_AHEAD = 64;

/** A stream of what `produce` writes. The stream closes when `produce` resolves and errors when it rejects. */
export function createPartStream(
  produce: (sink: PartSink) => Promise<void>,
  { onCancel }: { onCancel?: (reason: unknown) => void } = {},
): ReadableStream<LanguageModelV2StreamPart> {
  let waiting: LanguageModelV2StreamPart[] = [];
  let isCancelled = false;
  let outcome: { error?: unknown; failed: boolean } | undefined;
  const partsCame = createBell();
  const partsLeft = createBell();

  const sink: PartSink = {
    write(part) {
      if (isCancelled) return;
      waiting.push(part);
      partsCame.ring();
    },
    ready: () => (isCancelled || waiting.length < MAX_AHEAD ? undefined : partsLeft.wait()),
  };

  void produce(sink)
    .then(
      () => {
        outcome = { failed: false };
      },
      (error: unknown) => {
        outcome = { failed: true, error };
      },
    )
    .then(partsCame.ring);

  return streamBatches({
    async next() {
      while (waiting.length === 0) {
        if (isCancelled) return undefined;
        if (outcome?.failed) throw outcome.error;
        if (outcome !== undefined) return undefined;
        await partsCame.wait();
      }
      const batch = waiting;
      waiting = [];
      partsLeft.ring();
      return batch;
    },
    cancel(reason) {
      isCancelled = true;
      waiting = [];
      partsCame.ring();
      partsLeft.ring();
      onCancel?.(reason);
    },
  });
}

/** Lets one side wait until the other rings. */
function createBell() {
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      wake?.();
      wake = undefined;
    },
    wait: () =>
      new Promise<void>(resolve => {
        wake = resolve;
      }),
  };
}
