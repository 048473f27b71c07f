import { AISDKError } from '@ai-sdk/provider';

/**
 * What went wrong, for a program to branch on.
 *
 * - `invalid-settings`: a setting is unknown or of the wrong kind.
 * - `mcp-start`, `mcp-network`, `mcp-http`, `mcp-unauthorized`, `mcp-timeout`, `mcp-closed`, `mcp-protocol`:
 *   an MCP server could not be reached or did not answer as one.
 * - `missing-package`: an optional package is not installed, or in a version that does not fit.
 * - `unknown-name`: a provider or a role that is not there was asked for.
 * - `embedding-mismatch`: an index was to be searched with vectors of another model or length than its own.
 */
export type KelivoErrorCode =
  | 'invalid-settings'
  | 'missing-package'
  | 'unknown-name'
  | 'embedding-mismatch'
  | 'mcp-start'
  | 'mcp-network'
  | 'mcp-http'
  | 'mcp-unauthorized'
  | 'mcp-timeout'
  | 'mcp-closed'
  | 'mcp-protocol';

const marker = Symbol.for('kelivo-responses.error');

/**
 * An error of this package's own kinds: settings and MCP servers. HTTP failures and mistakes in a call are the AI SDK's
 * errors (`APICallError`, `LoadAPIKeyError`, `InvalidArgumentError` and others). The message says what was expected, what came and what to do.
 */
export class KelivoError extends AISDKError {
  /** What went wrong, as a literal. */
  readonly code: KelivoErrorCode;
  /** Lets `isInstance` recognise errors of another copy of the package. */
  readonly [marker] = true;

  constructor({ code, message, cause }: { code: KelivoErrorCode; message: string; cause?: unknown }) {
    super({ name: 'KelivoError', message, cause });
    this.code = code;
  }

  /** Whether `error` is a `KelivoError`, also of another copy of this package. */
  static override isInstance(error: unknown): error is KelivoError {
    return AISDKError.isInstance(error) && marker in error;
  }
}
