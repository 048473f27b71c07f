import { type ResponsesEmulator, startResponsesEmulator } from 'kelivo-responses/testing';

/** The emulator that all turns without a fault share, so that it knows what it said before. */
export interface SharedEmulator {
  /** Starts it when it is first needed. */
  open(): Promise<ResponsesEmulator>;
  close(): Promise<void>;
}

/** Milliseconds before each event: about as fast as a model writes. */
export const LATENCY = 20;

export function createSharedEmulator(): SharedEmulator {
  let emulator: Promise<ResponsesEmulator> | undefined;
  return {
    open: () => (emulator ??= startResponsesEmulator({ latency: LATENCY })),
    async close() {
      await (await emulator)?.close();
    },
  };
}
