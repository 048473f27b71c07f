import { createClosing } from '../../shared/abort.js';
import { authStateOf } from '../auth/auth-state.js';
import type { McpServerConfig } from '../config/config.js';
import type { McpConnection } from './connection.js';
import {
  type McpConnectionPool,
  type McpConnectionPoolOptions,
  validateConnectionPoolOptions,
} from '../config/options.js';

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
  const {
    connectTimeout = 30_000,
    listTimeout = 5000,
    retryFailedAfter = 30_000,
    idleTimeout = 600_000,
    telemetry,
    fetch,
    ...callbacks
  } = validateConnectionPoolOptions(options);
  const connections = new Map<string, McpConnection>();
  const closing = createClosing('the MCP connection pool');

  return {
    get closed() {
      return closing.signal;
    },
    connectionTo(config, { serverName, createConnection }) {
      const key = toConnectionKey(config);
      const known = connections.get(key);
      if (known) return known;
      const created = createConnection(config, {
        connectTimeout,
        listTimeout,
        retryFailedAfter,
        idleTimeout,
        telemetry,
        fetch,
        serverName,
        callbacks,
      });
      connections.set(key, created);
      return created;
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
  const { roots } = config;
  if ('command' in config) {
    return JSON.stringify([config.command, config.args ?? [], toSorted(config.env), config.cwd, roots]);
  }
  const { url, headers, type, authProvider } = config;
  return JSON.stringify([
    url,
    toSorted(headers),
    type,
    authProvider && authStateOf(authProvider).number,
    roots,
  ]);
}

function toSorted(values: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
