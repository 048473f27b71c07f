import { toTimerDelay } from '../../shared/abort.js';
import type { McpServerConfig } from './config.js';
import {
  createCurrentSession,
  type CurrentSession,
  type CurrentSessionOptions,
  type McpConnectionState,
} from './current-session.js';
import { McpFailure, type McpFailureKind, toMcpFailure } from './failures.js';
import { listTools, type ServerTools } from './list-tools.js';
import type { McpSession } from './session.js';
import { createSharedTask } from './shared-task.js';

/** The connection to one server. It opens on first use, and again after it was lost. */
export interface McpConnection {
  readonly state: McpConnectionState;
  listTools(options?: { signal?: AbortSignal }): Promise<ServerTools>;
  /**
   * Runs an operation on the open session. If it fails and `mayRetry` returns true, it runs once more on a new
   * session. Rejects with `McpFailure` or the signal's reason.
   */
  withSession<T>(operation: (session: McpSession) => Promise<T>, options: WithSessionOptions): Promise<T>;
  close(): Promise<void>;
}

interface WithSessionOptions {
  signal?: AbortSignal;
  mayRetry: (failure: McpFailure) => boolean;
}

export interface ConnectionOptions extends Omit<CurrentSessionOptions, 'onToolsChanged'> {
  /** Time after which an unused connection closes, in milliseconds. */
  idleTimeout: number;
}

/** Failures after which a listing is retried. Listing has no side effects. */
const transientFailures: ReadonlySet<McpFailureKind> = new Set<McpFailureKind>([
  'session-expired',
  'closed',
  'network',
]);

export function createConnection(
  config: McpServerConfig,
  { idleTimeout, ...sessionOptions }: ConnectionOptions,
): McpConnection {
  const { connectTimeout, retryFailedAfter } = sessionOptions;
  const cache = createListCache();
  const current = createCurrentSession(config, { ...sessionOptions, onToolsChanged: cache.invalidate });
  const usage = createUsage({ idleTimeout, onIdle: current.closeIdle });

  const reading = createSharedTask(
    signal => {
      const limits = { signal, timeout: connectTimeout, totalTimeout: connectTimeout };
      return withSession(session => cache.fill(() => listTools(session, limits)), {
        signal,
        mayRetry: failure => transientFailures.has(failure.kind),
      });
    },
    { rememberFailureFor: retryFailedAfter },
  );

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
      const cached = cache.find({ changesUnannounced: current.open?.changesUnannounced !== false });
      if (cached) return cached;
      await current.waitForRestart({ signal }); // outside of the cached reading, which remembers its failures for longer
      return reading.join({ signal });
    },
    withSession,
    async close() {
      usage.stop();
      const reason = new McpFailure({ kind: 'closed' });
      await Promise.all([reading.stop(reason), current.close(reason)]);
    },
  };
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

interface ListCache {
  /** Returns the cached list if it is still valid. */
  find(options: { changesUnannounced: boolean }): ServerTools | undefined;
  /** Reads the list and caches it, unless it is invalidated while it is read. */
  fill(read: () => Promise<ServerTools>): Promise<ServerTools>;
  invalidate(): void;
}

/** Time after which a list is read again if the server cannot announce changes, in milliseconds. */
const unannouncedListAge = 30_000;

function createListCache(): ListCache {
  let cached: { tools: ServerTools; readAt: number } | undefined;
  let version = 0;

  return {
    find({ changesUnannounced }) {
      if (cached === undefined) return undefined;
      const isFresh = !changesUnannounced || Date.now() - cached.readAt < unannouncedListAge;
      return isFresh ? cached.tools : undefined;
    },
    async fill(read) {
      const versionBefore = version;
      const tools = await read();
      if (version === versionBefore) cached = { tools, readAt: Date.now() };
      return tools;
    },
    invalidate() {
      cached = undefined;
      version++;
    },
  };
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
