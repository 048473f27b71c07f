import type { KelivoError } from '../shared/errors.js';
import type { ToolSource } from '../tools/tool-source.js';
import type { McpConnectionState } from './session/current-session.js';
import type { McpServerFeatures } from './features/server-features.js';

/** The tools of MCP servers, with their resources and prompts for the application. */
export interface McpTools extends ToolSource, McpServerFeatures {
  /** Returns the status of each server, in the order of the configuration. Starts nothing. */
  status(): McpServerStatus[];
  /**
   * Completes the sign-in of a user, also after a restart or in another process if the `authProvider` stores its state.
   * The next use of the server works at once, in all tool sources with the same `authProvider`.
   *
   * @param server The server's name in the configuration.
   * @param callback The URL to which the authorization server returned the user, or its query. Its `iss` and `state` are
   * compared with the sign-in. A bare authorization code is accepted, but nothing can be compared then.
   * @throws KelivoError `mcp-unauthorized` if the callback is not accepted, `unknown-name` for a server that is not
   * configured or disabled, and `invalid-settings` for a server without `authProvider`. The message contains no text of
   * the callback.
   */
  finishAuth(
    server: string,
    callback: string | URL | URLSearchParams,
    options?: FinishAuthOptions,
  ): Promise<void>;
}

/** Options of `finishAuth`. */
export interface FinishAuthOptions {
  /**
   * The value that the `state` of the callback must have. Pass it after a restart if the `authProvider` creates states
   * and is not from `createOAuthProvider`.
   * @default the value of the sign-in that this process started, or that `createOAuthProvider` has stored
   */
  state?: string;
}

/** Status of one server. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpConnectionState | 'disabled';
  /** The URL that the user must open to sign in. Only in the state `unauthorized`. */
  readonly authorizationUrl?: string;
  /** The reason why its tools were missing from the last list. Its `code` starts with `mcp-`. */
  readonly error?: KelivoError;
  /** The names under which its tools were last offered. */
  readonly tools: readonly string[];
}
