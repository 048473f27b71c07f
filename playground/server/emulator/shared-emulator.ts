import { type ResponsesEmulator, startResponsesEmulator } from 'kelivo-responses/testing';

/** The emulator shared by all turns without a fault, so that it has their earlier responses. */
export interface SharedEmulator {
  /** Starts the emulator on the first call. */
  open(): Promise<ResponsesEmulator>;
  close(): Promise<void>;
}

/** Milliseconds before each event, similar to the speed of a model. */
export const LATENCY = 20;

export function createSharedEmulator(): SharedEmulator {
  let emulator: Promise<ResponsesEmulator> | undefined;
  return {
    open: () => (emulator ??= startResponsesEmulator({ latency: LATENCY, allowedOrigins: [] })),
    async close() {
      await (await emulator)?.close();
    },
  };
}
