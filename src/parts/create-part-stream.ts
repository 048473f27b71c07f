import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';

/** Where a producer writes its parts. */
export interface PartSink {
  write(part: LanguageModelV2StreamPart): void;
  /** Resolves when the reader has caught up; undefined where there is room now. To be awaited between batches. */
  ready(): Promise<void> | undefined;
}

/** How far a producer may run ahead of its reader, in parts. */
const MAX_AHEAD = 64;

/**
 * A stream of what `produce` writes. The stream closes when `produce` resolves and errors when it rejects.
 *
 * Parts wait in a list of our own rather than in the stream's queue, which costs a shift of all that waits for every
 * part that is read.
 */
export function createPartStream(
  produce: (sink: PartSink) => Promise<void>,
  { onCancel }: { onCancel?: (reason: unknown) => void } = {},
): ReadableStream<LanguageModelV2StreamPart> {
  let waiting: LanguageModelV2StreamPart[] = [];
  let position = 0;
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
    ready: () => (isCancelled || waiting.length - position < MAX_AHEAD ? undefined : partsLeft.wait()),
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

  return new ReadableStream(
    {
      async pull(controller) {
        while (position === waiting.length) {
          if (outcome !== undefined) {
            return outcome.failed ? controller.error(outcome.error) : controller.close();
          }
          waiting = [];
          position = 0;
          partsLeft.ring();
          await partsCame.wait();
        }
        const end = Math.min(position + MAX_AHEAD, waiting.length);
        while (position < end) {
          const part = waiting[position++];
          if (part !== undefined) controller.enqueue(part);
        }
      },
      cancel(reason) {
        isCancelled = true;
        waiting = [];
        position = 0;
        partsLeft.ring();
        onCancel?.(reason);
      },
    },
    { highWaterMark: 0 },
  );
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
