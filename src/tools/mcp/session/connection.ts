import { toTimerDelay, untilAborted } from '../../../core/shared/abort.js';
import { repeat } from '../../../core/shared/repeat.js';
import { finishAuth } from '../auth/server-authorization.js';
import type { AuthorizationCallback } from '../auth/authorization.js';
import type { McpConnectionState } from '../config/callbacks.js';
import type { McpServerConfig } from '../config/config.js';
import {
  CurrentSession,
  type CurrentSessionOptions,
  mayEndBySignIn,
  type RememberedFailure,
  SharedTask,
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

/** The connection to one server. It opens on first use, and again after it was lost. */
export class McpConnection {
  readonly #config: McpServerConfig;
  readonly #options: ConnectionOptions;
  readonly #current: CurrentSession;
  readonly #cache: ListCache = {
    last: undefined,
    isValid: false,
    isWatched: false,
    freshUntil: 0,
    version: 0,
  };
  readonly #reading: SharedTask<ServerTools>;
  /** Waits for a restart outside of the reading, which remembers its failures for longer. */
  readonly #refreshing: SharedTask<ServerTools>;
  #operationCount = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  /** Start of the current attempt to read the list. */
  #startedAt = 0;
  /** Duration of the attempts that failed in a row: a server that hangs delays one turn, not each. */
  #spent = 0;
  #failedAt = 0;

  constructor(config: McpServerConfig, options: ConnectionOptions) {
    this.#config = config;
    this.#options = options;
    this.#current = new CurrentSession(config, { ...options, onToolsChanged: () => this.invalidateTools() });
    this.#reading = new SharedTask(signal => this.#read(signal), {
      rememberFailureFor: options.retryFailedAfter,
      isRemembered: error => !mayEndBySignIn(error, config),
    });
    this.#refreshing = new SharedTask(async signal => {
      await this.#current.waitForRestart({ signal });
      return this.#reading.join({ signal });
    });
  }

  get state(): McpConnectionState {
    return this.#current.state;
  }

  /** The last attempt to open the connection or to list its tools, if it failed. */
  get failure(): RememberedFailure | undefined {
    return this.#reading.failure ?? this.#current.failure;
  }

  /** The facts with which another process goes on with the open session, if its server assigned an id. */
  get session(): McpStoredSession | undefined {
    return this.#current.session?.stored;
  }

  /**
   * Returns the server's tools, without waiting for a slow server: the list that was read last while a newer one is
   * read, and undefined if none is known. Rejects with `McpFailure` if the server failed, or with the signal's reason.
   */
  async listTools(options: ListOptions = {}): Promise<ServerTools | undefined> {
    const { signal } = options;
    signal?.throwIfAborted();
    const { isValid, isWatched, freshUntil, last } = this.#cache;
    const isFresh =
      Date.now() < freshUntil || (isWatched && this.#current.session?.announcesChanges === true);
    if (isValid && isFresh) return last;
    const { refreshed, remaining } = this.#refresh(options);
    return orAfter(untilAborted(refreshed, signal), remaining, () => this.#cache.last);
  }

  /**
   * Runs an operation on the open session. If it fails and `mayRetry` returns true, it runs once more, and once more if
   * the server then rejects the session without running it, as after a restart of the server: the first failure is that of
   * the old connection, the second one that of the old session. Rejects with `McpFailure` or the signal's reason.
   */
  async withSession<T>(
    operation: (session: McpSession) => Promise<T>,
    {
      signal,
      mayRetry,
      session: stored,
    }: {
      signal?: AbortSignal;
      mayRetry: (failure: McpFailure) => boolean;
      /** A session of an earlier process to use first. If the operation fails in it, it runs in the current one. */
      session?: McpStoredSession | undefined;
    },
  ): Promise<T> {
    const closeCountBefore = this.#current.closeCount;
    this.#operationCount++;
    clearTimeout(this.#idleTimer);
    const repeated = { lostSession: false, other: false };
    /** The failure of the newest attempt, unless the session could not be opened. */
    let failure: McpFailure | undefined;
    const attempt = async (): Promise<T> => {
      failure = undefined;
      const session = this.#current.session ?? (await this.#current.open({ signal }));
      try {
        return await operation(session);
      } catch (error) {
        signal?.throwIfAborted();
        failure = await withSessionState(toMcpFailure(error), session, { signal });
        // The server may come back with other tools.
        if (lostConnection.has(failure.kind)) this.invalidateTools();
        // The first caller that notices replaces the session, and the others find the new one.
        if (failure.kind === 'session-expired' || failure.isSessionLost) this.#current.retire(session);
        throw failure;
      }
    };
    const pauseAfter = (): number | undefined => {
      if (failure === undefined) return undefined;
      const cause = failure.kind === 'session-expired' ? 'lostSession' : 'other';
      if (repeated[cause] || !mayRetry(failure) || this.#current.closeCount > closeCountBefore)
        return undefined;
      repeated[cause] = true;
      return 0;
    };
    try {
      const earlier = stored && (await this.#runInStored(stored, operation, { signal }));
      return earlier === undefined ? await repeat(attempt, pauseAfter, signal) : earlier.result;
    } finally {
      if (--this.#operationCount === 0) this.#startIdleTimer();
    }
  }

  /** Lets the next listing read the tools again. */
  invalidateTools(): void {
    this.#cache.isValid = false;
    this.#cache.version++;
  }

  /** Completes the sign-in of a user. Throws as `finishAuth` of the authorization. */
  async finishAuth(callback: AuthorizationCallback, options: { serverName: string }): Promise<void> {
    await finishAuth(this.#config, callback, { ...options, fetch: this.#options.fetch });
    this.#current.forgetFailure();
    this.#reading.forgetFailure();
    this.invalidateTools(); // another user may see other tools
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const reason = new McpFailure({ kind: 'closed' });
    await Promise.all([
      this.#refreshing.stop(reason),
      this.#reading.stop(reason),
      this.#current.close(reason),
    ]);
    this.#forgetTools();
    this.#spent = 0;
  }

  /** Reads the list in the background: no turn that ends stops it for the others. */
  #refresh({ startupTimeout = defaultStartupTimeout, waitsAgain = false }: ListOptions) {
    const now = Date.now();
    if (!this.#refreshing.isRunning) this.#startedAt = now;
    const isKnown = this.#cache.last !== undefined;
    if (isKnown || now - this.#failedAt >= failurePeriod) this.#spent = 0;
    if (isKnown) {
      // An attempt that follows a failure is delayed first.
      const begin = this.#current.failure === undefined ? this.#startedAt : now + rereadTimeout;
      return { refreshed: this.#refreshing.join(), remaining: begin + rereadTimeout - Date.now() };
    }
    const waitUntil = waitsAgain ? now + startupTimeout : this.#startedAt + startupTimeout - this.#spent;
    return { refreshed: this.#refreshing.join(), remaining: waitUntil - Date.now() };
  }

  /** Reads the list once for all who wait for it. */
  async #read(signal: AbortSignal): Promise<ServerTools> {
    const { connectTimeout } = this.#options;
    const limits = { signal, timeout: connectTimeout, totalTimeout: connectTimeout };
    try {
      return await this.withSession(session => this.#readFrom(session, limits), {
        signal,
        mayRetry: failure => transientFailures.has(failure.kind) || failure.isSessionLost === true,
      });
    } catch (error) {
      this.#forgetTools();
      this.#spent += Date.now() - this.#startedAt;
      this.#failedAt = Date.now();
      // The listing after a sign-in waits for the server like the first one.
      if (mayEndBySignIn(error, this.#config)) this.#spent = 0;
      throw error;
    }
  }

  /** Reads the list and caches it, unless it is invalidated while it is read. */
  async #readFrom(session: McpSession, limits: RequestLimits): Promise<ServerTools> {
    const { announcesChanges } = session;
    const { version } = this.#cache;
    const last = await listTools(session, limits);
    this.#cache.last = last;
    this.#cache.freshUntil = Date.now() + last.freshFor;
    this.#cache.isWatched = announcesChanges;
    this.#cache.isValid = this.#cache.version === version;
    return last;
  }

  #forgetTools(): void {
    this.#cache.last = undefined;
    this.invalidateTools();
  }

  /** Its own function, because the timer would keep everything that the last operation refers to, as long as it runs. */
  #startIdleTimer(): void {
    this.#idleTimer = setTimeout(() => {
      if (this.#operationCount === 0) this.#current.closeIdle();
    }, toTimerDelay(this.#options.idleTimeout));
    if (typeof this.#idleTimer === 'object') this.#idleTimer.unref(); // does not keep the process alive
  }

  /** Runs an operation in the session of an earlier process. Returns undefined if it fails there, unless time is over. */
  async #runInStored<T>(
    stored: McpStoredSession,
    operation: (session: McpSession) => Promise<T>,
    options: { signal?: AbortSignal },
  ): Promise<{ result: T } | undefined> {
    if (this.#current.session?.stored?.initialSessionId === stored.initialSessionId) return undefined;
    let session: McpSession | undefined;
    try {
      session = await this.#current.attach(stored, { signal: options.signal });
      return { result: await operation(session) };
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isTimeout(toMcpFailure(error))) throw error;
      return undefined;
    } finally {
      session?.retire();
    }
  }
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
