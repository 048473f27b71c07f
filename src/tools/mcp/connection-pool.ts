import { createClosing } from '../../core/shared/abort.js';
import { isDevelopment } from '../../core/shared/registration.js';
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

/** Times that applications need not change, in milliseconds. */
export interface PoolTimings {
  /** Maximum time for a server to start and to list its tools. */
  connectTimeout?: number;
  /** Time before a failed server is tried again. */
  retryFailedAfter?: number;
}

/** A program may download its packages first. */
const connectTimeouts = { program: 300_000, url: 60_000 };

export function openConnectionPool(
  { idleTimeout = 600_000, telemetry, fetch, ...callbacks }: McpConnectionPoolOptions,
  { connectTimeout, retryFailedAfter = 30_000 }: PoolTimings = {},
): McpConnectionPool {
  const connections = new Map<string, McpConnection>();
  const releases: (() => Promise<void>)[] = [];
  const closing = createClosing('the MCP connection pool');
  const settings = { retryFailedAfter, idleTimeout, telemetry, fetch, callbacks };
  /** Functions may belong to another user, so only connections without any are shared. */
  const isShared =
    isDevelopment() && ![telemetry, fetch, ...Object.values(callbacks)].some(value => value !== undefined);

  return {
    closing,
    connectionTo(config, { serverName, Connection }) {
      const key = toConnectionKey(config);
      const limit = connectTimeout ?? connectTimeouts['command' in config ? 'program' : 'url'];
      const create = () => new Connection(config, { ...settings, connectTimeout: limit, serverName });
      const known = connections.get(key);
      if (known !== undefined) return known;
      const { connection, release } =
        isShared && !('authProvider' in config)
          ? shareConnection(JSON.stringify([key, serverName, idleTimeout, limit, retryFailedAfter]), create)
          : toOwned(create());
      connections.set(key, connection);
      releases.push(release);
      return connection;
    },
    async close() {
      closing.close();
      await Promise.all(releases.map(release => release()));
    },
  };
}

interface UsedConnection {
  readonly connection: McpConnection;
  /** Closes the connection, unless others use it. */
  release(): Promise<void>;
}

const toOwned = (connection: McpConnection): UsedConnection => ({
  connection,
  release: () => connection.close(),
});

/** The connections of this process in development, by all their settings. */
const registryKey = Symbol.for('kelivo-responses.mcp-connections');

interface SharedConnection {
  readonly connection: McpConnection;
  userCount: number;
}

/**
 * Shares a connection among all pools of the process. A development server evaluates a module, and perhaps this package,
 * again after every edit, and nobody closes the provider of the evaluation before, which would keep its servers.
 */
function shareConnection(key: string, create: () => McpConnection): UsedConnection {
  const holder = globalThis as { [registryKey]?: Map<string, SharedConnection> };
  const registry = (holder[registryKey] ??= new Map<string, SharedConnection>());
  const shared = registry.get(key) ?? { connection: create(), userCount: 0 };
  registry.set(key, shared);
  shared.userCount++;
  let isReleased = false;
  return {
    connection: shared.connection,
    async release() {
      if (!isReleased) shared.userCount--;
      isReleased = true;
      if (shared.userCount > 0) return;
      if (registry.get(key) === shared) registry.delete(key);
      await shared.connection.close();
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
  const { url, headers, type, authProvider, initialSessionId, terminateSessionOnClose } = config;
  const provider = authProvider && authStateOf(authProvider).number;
  return JSON.stringify([
    url,
    toSorted(headers),
    type,
    provider,
    roots,
    initialSessionId,
    terminateSessionOnClose,
  ]);
}
