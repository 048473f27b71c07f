/**
 * A server that behaves like the OpenAI Responses API, for tests and demos without a key.
 *
 * @module kelivo-responses/testing
 */
export type {
  AnswerItem,
  ErrorEventFault,
  Fault,
  OutputAnswer,
  ScriptedAnswer,
  StatusAnswer,
} from './answers.js';
export type { EmulatorRequest } from './read-request.js';
export type { RequestRules } from './request-rules.js';
export {
  type ResponsesEmulator,
  type ResponsesEmulatorOptions,
  startResponsesEmulator,
} from './start-responses-emulator.js';
export type { IncompleteReason, RawItem, ResponseUsage, StreamEvent } from './wire.js';
export type { ToolCallFormat } from './write-tool-calls.js';
