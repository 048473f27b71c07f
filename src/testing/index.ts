/**
 * A server that behaves like the OpenAI Responses API, for tests and demos without a key.
 *
 * @module kelivo-responses/testing
 */
export type {
  BackgroundScript,
  ScriptedItem,
  ErrorEventFault,
  Fault,
  ScriptedOutput,
  ScriptedResponse,
  ScriptedStatus,
} from './scripts.js';
export type { EmulatorRequest } from './incoming-request.js';
export type { EmulatorWebSocketOptions } from './websocket.js';
export type { RequestRules } from './scripts.js';
export { type ResponsesEmulator, type ResponsesEmulatorOptions, startResponsesEmulator } from './emulator.js';
export type { IncompleteReason, RawItem, ResponseUsage, StreamEvent } from './wire.js';
export type { ToolCallFormat } from './text-tool-calls.js';
