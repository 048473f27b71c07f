import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createConnection, type McpConnection } from './connection.js';
import type { McpServerConfig } from './mcp-config.js';

/** Connections that several tool sources share: one for each server. */
export interface McpConnectionPool {
  /** Ends all processes and connections. Whoever uses the pool afterwards opens anew what it needs. */
  close(): Promise<void>;
  /** @internal */
  connectionTo(config: McpServerConfig): McpConnection;
}

export interface McpConnectionPoolOptions {
  /** How long a server may take to get ready, and to list its tools, in milliseconds. @default 30000 */
  connectTimeout?: number;
  /**
   * How long a server that failed is left alone, in milliseconds, so that it does not delay every call.
   * @default 30000
   */
  retryFailedAfter?: number;
  /** Makes the HTTP requests, for a proxy or a WebView. @default the global fetch */
  fetch?: FetchLike;
}

/**
 * Creates an empty pool. Nothing is started before a source lists or calls its tools; sources with the same
 * settings for a server then share its one connection.
 *
 * @example
 * const pool = createMcpConnectionPool();
 * const forResearch = createMcpTools({ files, web }, { pool });
 * const forWriting = createMcpTools({ files }, { pool });
 * // …
 * await pool.close();
 */
export function createMcpConnectionPool({
  connectTimeout = 30_000,
  retryFailedAfter = 30_000,
  fetch,
}: McpConnectionPoolOptions = {}): McpConnectionPool {
  const connections = new Map<string, McpConnection>();
  const toIdentity = createIdentities();

  return {
    connectionTo(config) {
      const key = toConnectionKey(config, { toIdentity });
      const known = connections.get(key);
      if (known) return known;
      const created = createConnection(config, { connectTimeout, retryFailedAfter, fetch });
      connections.set(key, created);
      return created;
    },
    async close() {
      await Promise.all([...connections.values()].map(connection => connection.close()));
    },
  };
}

/** All that makes a connection what it is, and nothing that merely filters or times the calls on it. */
function toConnectionKey(
  config: McpServerConfig,
  { toIdentity }: { toIdentity: (object: object) => number },
): string {
  if ('command' in config) {
    return JSON.stringify([config.command, config.args ?? [], toSorted(config.env), config.cwd]);
  }
  const { url, headers, type, authProvider } = config;
  return JSON.stringify([url, toSorted(headers), type, authProvider && toIdentity(authProvider)]);
}

function toSorted(values: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Numbers objects, so that two sign-ins never share a connection. */
function createIdentities(): (object: object) => number {
  const numbers = new WeakMap<object, number>();
  let count = 0;
  return object => {
    const number = numbers.get(object) ?? ++count;
    numbers.set(object, number);
    return number;
  };
}
