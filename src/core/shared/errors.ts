import { AISDKError } from '@ai-sdk/provider';

/**
 * The kind of an error.
 *
 * - `invalid-settings`: a setting is unknown or has a wrong value.
 * - `mcp-start`, `mcp-network`, `mcp-http`, `mcp-unauthorized`, `mcp-timeout`, `mcp-closed`, `mcp-protocol`:
 *   an MCP server cannot be reached or does not follow the protocol.
 * - `closed`: `close()` ended a turn that was using the provider or tool source, or `finish()` has ended a pipeline.
 * - `journal-failed`: the store of a journal fails, or has a record that cannot be used.
 * - `turn-running`: another process runs the turn, or has taken it over.
 * - `turn-changed`: the conversation of a recorded turn is not the recorded one.
 * - `turn-cancelled`: an operator has cancelled or deleted the turn.
 * - `missing-package`: an optional package is not installed or has an incompatible version.
 * - `unknown-name`: a provider or role does not exist.
 * - `unknown-version`: a model implements a version of the model interface that this package does not support.
 * - `embedding-mismatch`: a vector has another model or length than the vectors of the index.
 */
export type KelivoErrorCode =
  | 'invalid-settings'
  | 'closed'
  | 'journal-failed'
  | 'turn-running'
  | 'turn-changed'
  | 'turn-cancelled'
  | 'missing-package'
  | 'unknown-name'
  | 'unknown-version'
  | 'embedding-mismatch'
  | 'mcp-start'
  | 'mcp-network'
  | 'mcp-http'
  | 'mcp-unauthorized'
  | 'mcp-timeout'
  | 'mcp-closed'
  | 'mcp-protocol';

const marker = Symbol.for('kelivo-responses.error');

interface KelivoErrorFields {
  readonly code: KelivoErrorCode;
  readonly message: string;
  readonly cause?: unknown;
  /** @default true for codes whose calls are safe to repeat */
  readonly isRetryable?: boolean;
}

/**
 * An error of this package, for example for invalid settings or MCP servers. HTTP failures and invalid call options are
 * errors of the AI SDK (`APICallError`, `LoadAPIKeyError`, `InvalidArgumentError` and others). The message contains the
 * expected value, the received value and the next step.
 */
export class KelivoError extends AISDKError {
  /** The kind of the error. */
  readonly code: KelivoErrorCode;
  /** True if the same call may succeed later and is safe to repeat: what has run is not run again. */
  readonly isRetryable: boolean;
  /** Lets `isInstance` recognize errors of another copy of the package. */
  readonly [marker] = true;

  constructor({ code, message, cause, isRetryable }: KelivoErrorFields) {
    super({ name: 'KelivoError', message, cause });
    this.code = code;
    this.isRetryable = isRetryable ?? (code === 'journal-failed' || code === 'turn-running');
  }

  /** Returns true for a `KelivoError`, including one of another copy of this package. */
  static override isInstance(error: unknown): error is KelivoError {
    return AISDKError.isInstance(error) && marker in error;
  }
}

const CUT = Symbol('kelivo-responses.cut');

/** Marks the error of a response that has begun and did not end. */
export const markCut = (error: Error): unknown => Object.assign(error, { [CUT]: true });

export const isCut = (error: unknown): boolean => error instanceof Error && CUT in error;

/** Returns the message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Joins sentences. A text of a server often lacks its full stop. */
export const joinSentences = (...sentences: readonly (string | undefined)[]): string =>
  sentences
    .flatMap(sentence => {
      const text = sentence?.trimEnd() ?? '';
      return text === '' ? [] : [text];
    })
    .map((text, at, all) => (at === all.length - 1 || /[.!?:…]["'`)\]]?$/.test(text) ? text : `${text}.`))
    .join(' ');
