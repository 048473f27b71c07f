import { toTimerDelay, untilAborted } from '../../../core/shared/abort.js';
import { repeat } from '../../../core/shared/repeat.js';
import { finishAuth } from '../auth/server-authorization.js';
import type { AuthorizationCallback } from '../auth/authorization.js';
import type { McpConnectionState } from '../config/callbacks.js';
import type { McpServerConfig } from '../config/config.js';
import {
  createCurrentSession,
  createSharedTask,
  type CurrentSessionOptions,
  mayEndBySignIn,
  type RememberedFailure,
} from './current-session.js';
import {
  mayHaveLostSession,
  mayHaveRun,
  McpFailure,
  type McpFailureKind,
  isTimeout,
  sessionNotFound,
  toMcpFailure,
} from '../transport/failures.js';
import { listTools, type ServerTools } from './list-tools.js';
import type { RequestLimits } from './request.js';
import type { McpSession } from './session.js';
import type { McpStoredSession } from '../transport/stored-session.js';

/** The connection to one server. It opens on first use, and again after it was lost. */
export interface McpConnection {
  readonly state: McpConnectionState;
  /**
   * Returns the server's tools, without waiting for a slow server: the list that was read last while a newer one is
   * read, and undefined if none is known. Rejects with `McpFailure` if the server failed, or with the signal's reason.
   */
  listTools(options?: ListOptions): Promise<ServerTools | undefined>;
  /**
   * Runs an operation on the open session. If it fails and `mayRetry` returns true, it runs once more, and once more if
   * the server then rejects the session without running it, as after a restart of the server: the first failure is that of
   * the old connection, the second one that of the old session. Rejects with `McpFailure` or the signal's reason.
   */
  withSession<T>(operation: (session: McpSession) => Promise<T>, options: WithSessionOptions): Promise<T>;
  /** The last attempt to open the connection or to list its tools, if it failed. */
  readonly failure: RememberedFailure | undefined;
  /** Lets the next listing read the tools again. */
  invalidateTools(): void;
  /** The facts with which another process goes on with the open session, if its server assigned an id. */
  readonly session: McpStoredSession | undefined;
  /** Completes the sign-in of a user. Throws as `finishAuth` of the authorization. */
  finishAuth(callback: AuthorizationCallback, options: { serverName: string }): Promise<void>;
  close(): Promise<void>;
}

interface ListOptions {
  signal?: AbortSignal;
  /**
   * Time to wait for the first list, in milliseconds, from the beginning of the attempt to read it. Attempts that failed
   * shortly before count.
   */
  startupTimeout?: number;
  /** Waits the whole time in each listing, as long as no list is known. */
  waitsAgain?: boolean;
}

interface WithSessionOptions {
  signal?: AbortSignal;
  mayRetry: (failure: McpFailure) => boolean;
  /** A session of an earlier process to use first. If the operation fails in it, it runs in the current one. */
  session?: McpStoredSession | undefined;
}

export interface ConnectionOptions extends Omit<CurrentSessionOptions, 'onToolsChanged'> {
  /** Time after which an unused connection closes, in milliseconds. */
  idleTimeout: number;
}

/** Time that listings wait for a server that starts, in milliseconds: an installation takes 4 to 12 seconds. */
export const defaultStartupTimeout = 30_000;

/** Failures after which a list that was read before may be outdated. */
const lostConnection = new Set<McpFailureKind>(['not-sent', 'network', 'closed']);

/** Time without a failure after which listings wait for a server like the first one, in milliseconds. */
const failurePeriod = 60_000;

/**
 * Time that listings wait for a newer list, in milliseconds. Servers respond much faster, so that a tool is offered in the
 * round after the server announced it, or after it was restarted with another version.
 */
const rereadTimeout = 1000;

/** Failures after which a listing is retried. Listing has no side effects. */
const transientFailures = new Set<McpFailureKind>(['session-expired', 'closed', 'network']);

/**
 * A tool list, which is valid for the time that it states, or until the server announces a change. It belongs to one
 * connection, and so to one authorization.
 */
interface ListCache {
  /** The last list, which may be outdated. */
  last: ServerTools | undefined;
  isValid: boolean;
  /** True if changes were announced when the list was read, so that it is valid until one is. */
  isWatched: boolean;
  freshUntil: number;
  /** Counts how often it was invalidated. */
  version: number;
}

export function createConnection(
  config: McpServerConfig,
  { idleTimeout, ...sessionOptions }: ConnectionOptions,
): McpConnection {
  const { connectTimeout, retryFailedAfter } = sessionOptions;
  const cache: ListCache = { last: undefined, isValid: false, isWatched: false, freshUntil: 0, version: 0 };
  const current = createCurrentSession(config, { ...sessionOptions, onToolsChanged: invalidate });
  let operationCount = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  const reading = createSharedTask(
    async signal => {
      const limits = { signal, timeout: connectTimeout, totalTimeout: connectTimeout };
      try {
        return await withSession(session => readTools(session, limits), {
          signal,
          mayRetry: failure => transientFailures.has(failure.kind) || failure.isSessionLost === true,
        });
      } catch (error) {
        forgetTools();
        spent += Date.now() - startedAt;
        failedAt = Date.now();
        // The listing after a sign-in waits for the server like the first one.
        if (mayEndBySignIn(error, config)) spent = 0;
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
  /** Start of the current attempt to read the list. */
  let startedAt = 0;
  /** Duration of the attempts that failed in a row: a server that hangs delays one turn, not each. */
  let spent = 0;
  let failedAt = 0;

  /** Reads the list and caches it, unless it is invalidated while it is read. */
  async function readTools(session: McpSession, limits: RequestLimits): Promise<ServerTools> {
    const { announcesChanges } = session;
    const { version } = cache;
    const last = await listTools(session, limits);
    cache.last = last;
    cache.freshUntil = Date.now() + last.freshFor;
    cache.isWatched = announcesChanges;
    cache.isValid = cache.version === version;
    return last;
  }

  function invalidate(): void {
    cache.isValid = false;
    cache.version++;
  }

  function forgetTools(): void {
    cache.last = undefined;
    invalidate();
  }

  /** Reads the list in the background: no turn that ends stops it for the others. */
  function refresh({ startupTimeout = defaultStartupTimeout, waitsAgain = false }: ListOptions) {
    const now = Date.now();
    if (!refreshing.isRunning) startedAt = now;
    if (cache.last !== undefined || now - failedAt >= failurePeriod) spent = 0;
    if (cache.last !== undefined) {
      // An attempt that follows a failure is delayed first.
      const begin = current.failure === undefined ? startedAt : now + rereadTimeout;
      return { refreshed: refreshing.join(), remaining: begin + rereadTimeout - Date.now() };
    }
    const waitUntil = waitsAgain ? now + startupTimeout : startedAt + startupTimeout - spent;
    return { refreshed: refreshing.join(), remaining: waitUntil - Date.now() };
  }

  async function withSession<T>(
    operation: (session: McpSession) => Promise<T>,
    { signal, mayRetry, session: stored }: WithSessionOptions,
  ): Promise<T> {
    const closeCountBefore = current.closeCount;
    operationCount++;
    clearTimeout(idleTimer);
    const repeated = { lostSession: false, other: false };
    /** The failure of the newest attempt, unless the session could not be opened. */
    let failure: McpFailure | undefined;
    const attempt = async (): Promise<T> => {
      failure = undefined;
      const session = current.session ?? (await current.open({ signal }));
      try {
        return await operation(session);
      } catch (error) {
        signal?.throwIfAborted();
        failure = await withSessionState(toMcpFailure(error), session, { signal });
        // The server may come back with other tools.
        if (lostConnection.has(failure.kind)) invalidate();
        // The first caller that notices replaces the session, and the others find the new one.
        if (failure.kind === 'session-expired' || failure.isSessionLost) current.retire(session);
        throw failure;
      }
    };
    const pauseAfter = (): number | undefined => {
      if (failure === undefined) return undefined;
      const cause = failure.kind === 'session-expired' ? 'lostSession' : 'other';
      if (repeated[cause] || !mayRetry(failure) || current.closeCount > closeCountBefore) return undefined;
      repeated[cause] = true;
      return 0;
    };
    try {
      const earlier = stored && (await runInStored(stored, operation, { signal }));
      return earlier === undefined ? await repeat(attempt, pauseAfter, signal) : earlier.result;
    } finally {
      if (--operationCount === 0) startIdleTimer();
    }
  }

  /** Its own function, because the timer would keep everything that the last operation refers to, as long as it runs. */
  function startIdleTimer(): void {
    idleTimer = setTimeout(() => {
      if (operationCount === 0) current.closeIdle();
    }, toTimerDelay(idleTimeout));
    if (typeof idleTimer === 'object') idleTimer.unref(); // does not keep the process alive
  }

  /** Runs an operation in the session of an earlier process. Returns undefined if it fails there, unless time is over. */
  async function runInStored<T>(
    stored: McpStoredSession,
    operation: (session: McpSession) => Promise<T>,
    options: { signal?: AbortSignal },
  ): Promise<{ result: T } | undefined> {
    if (current.session?.stored?.initialSessionId === stored.initialSessionId) return undefined;
    let session: McpSession | undefined;
    try {
      session = await current.attach(stored, { signal: options.signal });
      return { result: await operation(session) };
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isTimeout(toMcpFailure(error))) throw error;
      return undefined;
    } finally {
      session?.retire();
    }
  }

  return {
    get state() {
      return current.state;
    },
    async listTools(options = {}) {
      const { signal } = options;
      signal?.throwIfAborted();
      const isFresh =
        Date.now() < cache.freshUntil || (cache.isWatched && current.session?.announcesChanges === true);
      if (cache.isValid && isFresh) return cache.last;
      const { refreshed, remaining } = refresh(options);
      return orAfter(untilAborted(refreshed, signal), remaining, () => cache.last);
    },
    withSession,
    get failure() {
      return reading.failure ?? current.failure;
    },
    invalidateTools: invalidate,
    get session() {
      return current.session?.stored;
    },
    async finishAuth(callback, options) {
      await finishAuth(config, callback, { ...options, fetch: sessionOptions.fetch });
      current.forgetFailure();
      reading.forgetFailure();
      invalidate(); // another user may see other tools
    },
    async close() {
      clearTimeout(idleTimer);
      const reason = new McpFailure({ kind: 'closed' });
      await Promise.all([refreshing.stop(reason), reading.stop(reason), current.close(reason)]);
      forgetTools();
      spent = 0;
    },
  };
}

/** Maximum time for the response to `ping`, in milliseconds. */
const pingTimeout = 5000;

/** JSON-RPC code of a server that does not implement a method. */
const methodNotFound = -32601;

/**
 * Corrects the MCP SDK (2.4.0), which keeps a session that the server has forgotten
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/1708). Test of the bare SDK: "an expired session is not
 * replaced" in test/tools/mcp/sdk-corrections.test.ts.
 *
 * Finds out by a `ping` if the session of a failed request is lost. The kind `session-expired` of the returned failure means that
 * the request did not run.
 */
async function withSessionState(
  failure: McpFailure,
  session: McpSession,
  { signal }: { signal?: AbortSignal },
): Promise<McpFailure> {
  if (!session.hasId || session.isClosed || !mayHaveLostSession(failure)) return failure;
  const options = { signal, timeout: pingTimeout };
  const problem = await session
    .use(client => client.ping(options))
    .then(
      () => undefined,
      error => toMcpFailure(error),
    );
  signal?.throwIfAborted();
  if (problem === undefined || !showsLoss(problem)) return failure;
  const { message } = failure;
  const facts = { ...failure, message, cause: failure, isSessionLost: true };
  const isRejected = failure.kind === 'rpc' ? failure.rpcCode === sessionNotFound : !mayHaveRun(failure);
  return new McpFailure(isRejected ? { ...facts, kind: 'session-expired' } : facts);
}

/** A server that cannot be reached, is busy or requires credentials proves nothing, nor does one without `ping`. */
const showsLoss = (failure: McpFailure): boolean =>
  (failure.isUnreadable ?? false) ||
  (failure.kind === 'http' && failure.status !== 429) ||
  (failure.kind === 'rpc' && failure.rpcCode !== methodNotFound);

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
