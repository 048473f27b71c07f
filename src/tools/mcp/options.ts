import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpConnection } from './connection.js';
import type { McpCallbacks } from './mcp-callbacks.js';
import type { McpServerConfig } from './config.js';

/** Connections that several tool sources share: one for each server. */
export interface McpConnectionPool {
  /** Ends all processes and connections. Whoever uses the pool afterwards opens anew what it needs. */
  close(): Promise<void>;
  /** @internal */
  connectionTo(config: McpServerConfig, options: { serverName: string }): McpConnection;
}

/** How connections are opened and kept. */
export interface McpConnectionPoolOptions extends McpCallbacks {
  /** How long a server may take to get ready, and to list its tools, in milliseconds. @default 30000 */
  connectTimeout?: number;
  /**
   * How long a server that failed is left alone, in milliseconds, so that it does not delay every call. One that ends
   * unexpectedly is started again for the next call, but after the fifth time within a minute it gets this rest.
   * @default 30000
   */
  retryFailedAfter?: number;
  /**
   * How long a connection that no call uses stays open, in milliseconds. The next use opens it again.
   * @default 600000
   */
  idleTimeout?: number;
  /** Makes the HTTP requests, for a proxy or a WebView. @default the global fetch */
  fetch?: FetchLike;
}

/** With a pool of its own, the source takes the pool's options too. */
export type McpToolsOptions = McpSourceOptions &
  (
    | ({ pool: McpConnectionPool } & { [Key in keyof McpConnectionPoolOptions]?: never })
    | ({ pool?: undefined } & McpConnectionPoolOptions)
  );

/** How the tools of servers are called. */
export interface McpSourceOptions {
  /**
   * How long a call may be silent, in milliseconds; progress starts the time anew, and it stands still while the server
   * waits for an answer of the host. A server's own `timeout` comes first.
   * @default 60000
   */
  timeout?: number;
  /** How long a call may take in all, in milliseconds, however much progress it reports. @default 600000 */
  totalTimeout?: number;
  /**
   * The values of `${NAME}` in the texts of `command`, `args`, `env`, `cwd`, `url` and `headers`, and no other: an unknown
   * name is an error, and the environment is never read. `$${` stands for `${` itself.
   * @default the texts are taken as they are
   */
  expandVariables?: Readonly<Record<string, string>>;
}
