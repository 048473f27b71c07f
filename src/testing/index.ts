/**
 * A server that behaves like the OpenAI Responses API, for tests and demos without a key, and a suite for journal stores.
 *
 * @module kelivo-responses/testing
 */
export {
  type JournalStoreReport,
  type JournalStoreTestOptions,
  type TestedStore,
  testJournalStore,
} from './journal-store.js';
export { type ResponsesEmulator, type ResponsesEmulatorOptions, startResponsesEmulator } from './emulator.js';
export { emulatorWithoutKey } from './emulator-without-key.js';
export type { EmulatorRequest, EmulatorRequestBody } from './protocol/request.js';
export type {
  Fault,
  RequestRules,
  RewriteOutput,
  ScriptedItem,
  ScriptedResponse,
} from './protocol/scripts.js';
export type { StreamEvent } from './protocol/wire.js';
export {
  testAdapter,
  type TestAdapterOptions,
  testTextFormat,
  type TextFormatVector,
} from './conformance.js';
