import { toTimerDelay, untilAborted } from '../../shared/abort.js';
import { finishAuth } from '../auth/server-authorization.js';
import type { AuthorizationCallback } from '../auth/authorization.js';
import type { McpServerConfig } from '../config/config.js';
import {
  createCurrentSession,
  type CurrentSession,
  type CurrentSessionOptions,
  mayEndBySignIn,
  type McpConnectionState,
} from './current-session.js';
import { McpFailure, type McpFailureKind, toMcpFailure } from '../transport/failures.js';
import { listTools, type ServerTools } from './list-tools.js';
import type { McpSession } from './session.js';
import { createSharedTask } from './shared-task.js';

/** The connection to one server. It opens on first use, and again after it was lost. */
export interface McpConnection {
  readonly state: McpConnectionState;
  /**
   * Returns the server's tools, without waiting for a slow server: the list that was read last while a newer one is
   * read, and undefined if none is known. Rejects with `McpFailure` if the server failed, or with the signal's reason.
   */
  listTools(options?: { signal?: AbortSignal }): Promise<ServerTools | undefined>;
  /**
   * Runs an operation on the open session. If it fails and `mayRetry` returns true, it runs once more on a new
   * session. Rejects with `McpFailure` or the signal's reason.
   */
  withSession<T>(operation: (session: McpSession) => Promise<T>, options: WithSessionOptions): Promise<T>;
  /** Lets the next listing read the tools again. */
  invalidateTools(): void;
  /**
   * Completes the sign-in of a user.
   *
   * @throws KelivoError `mcp-unauthorized` or `invalid-settings`, which contains no text of the callback.
   */
  finishAuth(callback: AuthorizationCallback, options: { serverName: string; state?: string }): Promise<void>;
  close(): Promise<void>;
}

interface WithSessionOptions {
  signal?: AbortSignal;
  mayRetry: (failure: McpFailure) => boolean;
}

export interface ConnectionOptions extends Omit<CurrentSessionOptions, 'onToolsChanged'> {
  /** Time after which an unused connection closes, in milliseconds. */
  idleTimeout: number;
  /** Time that listings wait for the first list, in milliseconds, counted from the first listing. */
  listTimeout: number;
}

/**
 * Time that listings wait for a new list of a connected server, in milliseconds. Servers respond much faster, so that a
 * tool is offered in the round after the server announced it.
 */
const rereadTimeout = 1000;

/** Failures after which a listing is retried. Listing has no side effects. */
const transientFailures: ReadonlySet<McpFailureKind> = new Set<McpFailureKind>([
  'session-expired',
  'closed',
  'network',
]);

export function createConnection(
  config: McpServerConfig,
  { idleTimeout, listTimeout, ...sessionOptions }: ConnectionOptions,
): McpConnection {
  const { connectTimeout, retryFailedAfter } = sessionOptions;
  const cache = createListCache();
  const current = createCurrentSession(config, { ...sessionOptions, onToolsChanged: cache.invalidate });
  const usage = createUsage({ idleTimeout, onIdle: current.closeIdle });

  const reading = createSharedTask(
    async signal => {
      const limits = { signal, timeout: connectTimeout, totalTimeout: connectTimeout };
      try {
        return await withSession(session => cache.fill(() => listTools(session, limits), session), {
          signal,
          mayRetry: failure => transientFailures.has(failure.kind),
        });
      } catch (error) {
        cache.forget();
        // The listing after a sign-in waits for the server like the first one.
        if (mayEndBySignIn(error, config)) waitUntil = undefined;
        throw error;
      }
    },
    { rememberFailureFor: retryFailedAfter, isRemembered: error => !mayEndBySignIn(error, config) },
  );
  /** Waits for a restart outside of the reading, which remembers its failures for longer. */
  const refreshing = createSharedTask(async signal => {
    await current.waitForRestart({ signal });
    return reading.join({ signal });
  });
  let waitUntil: number | undefined;

  /** Reads the list in the background: no turn that ends stops it for the others. */
  function refresh(): Promise<ServerTools> {
    if (!refreshing.isRunning && cache.last !== undefined) waitUntil = undefined;
    const wait = cache.last === undefined ? listTimeout : current.open === undefined ? 0 : rereadTimeout;
    waitUntil ??= Date.now() + wait;
    return refreshing.join();
  }

  function withSession<T>(
    operation: (session: McpSession) => Promise<T>,
    options: WithSessionOptions,
  ): Promise<T> {
    return usage.track(() => runWithRetry(current, operation, options));
  }

  return {
    get state() {
      return current.state;
    },
    async listTools({ signal } = {}) {
      signal?.throwIfAborted();
      const cached = cache.find({ announcesChanges: current.open?.announcesChanges === true });
      if (cached) return cached;
      const refreshed = untilAborted(refresh(), signal);
      return orAfter(refreshed, (waitUntil ?? 0) - Date.now(), () => cache.last);
    },
    withSession,
    invalidateTools: cache.invalidate,
    async finishAuth(callback, options) {
      await finishAuth(config, callback, { ...options, fetch: sessionOptions.fetch });
      current.forgetFailure();
      cache.invalidate(); // another user may see other tools
    },
    async close() {
      usage.stop();
      const reason = new McpFailure({ kind: 'closed' });
      await Promise.all([refreshing.stop(reason), reading.stop(reason), current.close(reason)]);
      cache.forget();
      waitUntil = undefined;
    },
  };
}

/** Waits for a promise. After the time, which may be over, the fallback applies. A promise that has settled wins. */
async function orAfter<T, Fallback>(
  promise: Promise<T>,
  milliseconds: number,
  fallback: () => Fallback,
): Promise<T | Fallback> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<Fallback>(resolve => {
    timer = setTimeout(() => resolve(fallback()), toTimerDelay(milliseconds));
  });
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

/** Runs an operation, and once more on a new session if it failed in a way that `mayRetry` allows. */
async function runWithRetry<T>(
  current: CurrentSession,
  operation: (session: McpSession) => Promise<T>,
  { signal, mayRetry }: WithSessionOptions,
): Promise<T> {
  const closeCountBefore = current.closeCount;
  for (let attempt = 1; ; attempt++) {
    const session = await current.get({ signal });
    try {
      return await operation(session);
    } catch (error) {
      signal?.throwIfAborted();
      const failure = toMcpFailure(error);
      // The first caller that notices replaces the session, and the others find the new one.
      if (failure.kind === 'session-expired') current.retire(session);
      if (attempt > 1 || !mayRetry(failure) || current.closeCount > closeCountBefore) throw failure;
    }
  }
}

interface Usage {
  track<T>(operation: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** Counts running operations and calls `onIdle` when there was none for `idleTimeout` milliseconds. */
function createUsage({ idleTimeout, onIdle }: { idleTimeout: number; onIdle: () => void }): Usage {
  let operationCount = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function startTimer(): void {
    timer = setTimeout(() => {
      if (operationCount === 0) onIdle();
    }, toTimerDelay(idleTimeout));
    if (typeof timer === 'object') timer.unref(); // does not keep the process alive
  }

  return {
    async track(operation) {
      operationCount++;
      clearTimeout(timer);
      try {
        return await operation();
      } finally {
        if (--operationCount === 0) startTimer();
      }
    },
    stop: () => clearTimeout(timer),
  };
}

/** The tool list of a server that was read last. It belongs to one connection, and so to one authorization. */
interface ListCache {
  /** Returns the last list if it is still valid. */
  find(options: CacheOptions): ServerTools | undefined;
  /** Reads the list and caches it, unless it is invalidated while it is read. */
  fill(read: () => Promise<ServerTools>, options: CacheOptions): Promise<ServerTools>;
  /** The last list, which may be outdated. */
  readonly last: ServerTools | undefined;
  invalidate(): void;
  /** Removes the last list too. */
  forget(): void;
}

interface CacheOptions {
  /** True while the server announces every change of the list. */
  readonly announcesChanges: boolean;
}

/** Creates the cache of a list that is valid for the time that it states, or until the server announces a change. */
function createListCache(): ListCache {
  let last: ServerTools | undefined;
  let isValid = false;
  /** True if changes were announced when the list was read, so that it is valid until one is. */
  let isWatched = false;
  let freshUntil = 0;
  let version = 0;

  return {
    get last() {
      return last;
    },
    find({ announcesChanges }) {
      const isFresh = (isWatched && announcesChanges) || Date.now() < freshUntil;
      return isValid && isFresh ? last : undefined;
    },
    async fill(read, { announcesChanges }) {
      const versionBefore = version;
      last = await read();
      freshUntil = Date.now() + last.freshFor;
      isWatched = announcesChanges;
      isValid = version === versionBefore;
      return last;
    },
    invalidate,
    forget() {
      last = undefined;
      invalidate();
    },
  };

  function invalidate(): void {
    isValid = false;
    version++;
  }
}
