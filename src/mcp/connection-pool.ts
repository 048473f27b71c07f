import { createClosing } from '../shared/abort.js';
import { authStateOf } from './auth/authorization.js';
import type { McpServerConfig } from './config/config.js';
import {
  type McpConnectionPool,
  type McpConnectionPoolOptions,
  validateConnectionPoolOptions,
} from './options.js';
import type { McpConnection } from './session/connection.js';

/**
 * Creates an empty pool. Nothing starts before a source lists or calls its tools. Sources with the same settings for a
 * server share one connection.
 *
 * @example
 * const pool = createMcpConnectionPool();
 * const forResearch = createMcpTools({ files, web }, { pool });
 * const forWriting = createMcpTools({ files }, { pool });
 * // …
 * await pool.close();
 *
 * @throws KelivoError `invalid-settings` for an unknown or invalid option.
 */
export function createMcpConnectionPool(options: McpConnectionPoolOptions = {}): McpConnectionPool {
  return openConnectionPool(validateConnectionPoolOptions(options));
}

/** @param timings.retryFailedAfter Time before a failed server is tried again, in milliseconds. */
export function openConnectionPool(
  {
    connectTimeout = 30_000,
    listTimeout = 5000,
    idleTimeout = 600_000,
    telemetry,
    fetch,
    ...callbacks
  }: McpConnectionPoolOptions,
  { retryFailedAfter = 30_000 }: { retryFailedAfter?: number } = {},
): McpConnectionPool {
  const connections = new Map<string, McpConnection>();
  const closing = createClosing('the MCP connection pool');
  const settings = {
    connectTimeout,
    listTimeout,
    retryFailedAfter,
    idleTimeout,
    telemetry,
    fetch,
    callbacks,
  };

  return {
    get closed() {
      return closing.signal;
    },
    connectionTo(config, { serverName, createConnection }) {
      const key = toConnectionKey(config);
      const connection = connections.get(key) ?? createConnection(config, { ...settings, serverName });
      connections.set(key, connection);
      return connection;
    },
    async close() {
      closing.close();
      await Promise.all([...connections.values()].map(connection => connection.close()));
    },
  };
}

/**
 * Returns a key of all settings that affect the connection. Tool filters and call timeouts do not. Servers with different
 * auth providers never share a connection.
 */
function toConnectionKey(config: McpServerConfig): string {
  const toSorted = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { roots } = config;
  if ('command' in config) {
    const { command, args = [], env, cwd } = config;
    return JSON.stringify([command, args, toSorted(env), cwd, roots]);
  }
  const { url, headers, type, authProvider } = config;
  const provider = authProvider && authStateOf(authProvider).number;
  return JSON.stringify([url, toSorted(headers), type, provider, roots]);
}
