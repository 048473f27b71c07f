import { createConnection, type McpConnection } from './connection.js';
import type { McpServerConfig } from './config.js';
import type { McpConnectionPool, McpConnectionPoolOptions } from './options.js';
import { validateConnectionPoolOptions } from './options.js';

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
 *
 * @throws KelivoError `invalid-settings` for an option that is unknown or wrong.
 */
export function createMcpConnectionPool(options: McpConnectionPoolOptions = {}): McpConnectionPool {
  const {
    connectTimeout = 30_000,
    retryFailedAfter = 30_000,
    idleTimeout = 600_000,
    fetch,
    ...callbacks
  } = validateConnectionPoolOptions(options);
  const connections = new Map<string, McpConnection>();
  const toIdentity = createIdentities();

  return {
    connectionTo(config, { serverName }) {
      const key = toConnectionKey(config, { toIdentity });
      const known = connections.get(key);
      if (known) return known;
      const created = createConnection(config, {
        connectTimeout,
        retryFailedAfter,
        idleTimeout,
        fetch,
        serverName,
        callbacks,
      });
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
