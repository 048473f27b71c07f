import type { ApiError } from '../api-error.js';
import type { JsonObject } from '../json-object.js';
import type { Completion } from './to-completion.js';

/** How a server words a chat completion and what it objects to. */
export interface ChatDialect {
  /** The first thing the server would object to. */
  validate(body: JsonObject): ApiError | undefined;
  /** The message of an answer that is not streamed. */
  toMessage(completion: Completion): JsonObject;
  /** The chunks of a stream, without the fields that all have in common. */
  toChunks(completion: Completion, options: { includeUsage: boolean }): JsonObject[];
  /** The body of an error, which is also what a stream ends with when it fails. */
  toErrorBody(error: Omit<ApiError, 'status'>): JsonObject;
}

/** A chunk with one step of the message; `finishReason` tells that it was the last. */
export const toChunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});
