import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { streamBatches } from './batches.js';

/** Receives the parts of a producer. */
export interface PartSink {
  write(part: LanguageModelV2StreamPart): void;
  /** Returns a promise that resolves when the reader has caught up, or undefined if there is room. Await it between batches. */
  ready(): Promise<void> | undefined;
}

/** Maximum number of parts that a producer may be ahead of its reader. */
const MAX_AHEAD = 64;

/** Creates a stream of the parts that `produce` writes. It closes when `produce` resolves and errors when it rejects. */
export function createPartStream(
  produce: (sink: PartSink) => Promise<void>,
  { onCancel }: { onCancel?: (reason: unknown) => void } = {},
): ReadableStream<LanguageModelV2StreamPart> {
  let waiting: LanguageModelV2StreamPart[] = [];
  let isCancelled = false;
  let outcome: { error?: unknown; failed: boolean } | undefined;
  const partsArrived = createNotifier();
  const partsTaken = createNotifier();

  const sink: PartSink = {
    write(part) {
      if (isCancelled) return;
      waiting.push(part);
      partsArrived.notify();
    },
    ready: () => (isCancelled || waiting.length < MAX_AHEAD ? undefined : partsTaken.wait()),
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
    .then(partsArrived.notify);

  return streamBatches({
    async next() {
      while (waiting.length === 0) {
        if (isCancelled) return undefined;
        if (outcome?.failed) throw outcome.error;
        if (outcome !== undefined) return undefined;
        await partsArrived.wait();
      }
      const batch = waiting;
      waiting = [];
      partsTaken.notify();
      return batch;
    },
    cancel(reason) {
      isCancelled = true;
      waiting = [];
      partsArrived.notify();
      partsTaken.notify();
      onCancel?.(reason);
    },
  });
}

/** Lets one side wait for a signal of the other. */
function createNotifier() {
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      wake?.();
      wake = undefined;
    },
    wait: () =>
      new Promise<void>(resolve => {
        wake = resolve;
      }),
  };
}
