import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { toTimerDelay } from '../../shared/abort.js';
import { createRestartLimit } from './restart-limit.js';
import type { McpSession } from './session.js';
import { listTools, type ServerTools } from './list-tools.js';
import type { McpCallbacks } from './options.js';
import type { McpServerConfig } from './config.js';
import { McpFailure, type McpFailureKind, toMcpFailure } from './failures.js';
import { openSession } from './open-session.js';
import { createSharedTask } from './shared-task.js';

/** One server, connected when it is needed and again when the connection was lost. */
export interface McpConnection {
  readonly state: McpConnectionState;
  listTools(options?: { signal?: AbortSignal }): Promise<ServerTools>;
  /**
   * Runs an operation on the open session, and once more on a new one when the first failed in a way that
   * `mayRepeat` allows. Rejects with `McpFailure` or the signal's reason.
   */
  withSession<T>(operation: (session: McpSession) => Promise<T>, options: WithSessionOptions): Promise<T>;
  close(): Promise<void>;
}

/**
 * - `idle`: not connected, because nobody asked yet, or after `close()` or the end of the server.
 * - `connecting`, `ready`: as they say.
 * - `failed`: the last attempt failed; the next use tries again.
 */
export type McpConnectionState = 'idle' | 'connecting' | 'ready' | 'failed';

interface WithSessionOptions {
  signal?: AbortSignal;
  mayRepeat: (failure: McpFailure) => boolean;
}

export interface ConnectionOptions {
  /** In milliseconds. */
  connectTimeout: number;
  /** In milliseconds. */
  retryFailedAfter: number;
  /** In milliseconds. */
  idleTimeout: number;
  fetch?: FetchLike;
  /** What the callbacks are told of where a question comes from. */
  serverName: string;
  callbacks: McpCallbacks;
}

/** Over HTTP nothing announces a changed list, so there it is read again after this time, in milliseconds. */
const unannouncedListAge = 30_000;

/** Failures after which a list, which changes nothing, is worth a second attempt. */
const passingFailures: ReadonlySet<McpFailureKind> = new Set<McpFailureKind>([
  'session-expired',
  'closed',
  'network',
]);

export function createConnection(
  config: McpServerConfig,
  { connectTimeout, retryFailedAfter, idleTimeout, fetch, serverName, callbacks }: ConnectionOptions,
): McpConnection {
  const crashes = createRestartLimit({ restTime: retryFailedAfter });
  let session: McpSession | undefined;
  /** Replaced, but with calls under way. */
  const retired = new Set<McpSession>();
  let listing: { tools: ServerTools; readAt: number } | undefined;
  let listVersion = 0;
  let hasFailed = false;
  let closeCount = 0;
  /** Operations under way: while there is one, the connection is not idle. */
  let useCount = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function forgetListing(): void {
    listing = undefined;
    listVersion++;
  }

  const opening = createSharedTask(
    async signal => {
      try {
        const opened = await openSession(config, {
          signal,
          timeout: connectTimeout,
          fetch,
          serverName,
          callbacks,
          onToolsChanged: forgetListing,
          onClose: ended => {
            if (session === ended) crashes.record();
            retired.delete(ended);
            forget(ended);
          },
        });
        if (signal.aborted) {
          await opened.close();
          throw signal.reason;
        }
        forgetListing();
        session = opened;
        hasFailed = false;
        return opened;
      } catch (error) {
        hasFailed = !signal.aborted;
        throw error;
      }
    },
    { rememberFailureFor: retryFailedAfter },
  );

  const reading = createSharedTask(
    signal =>
      withSession(
        async current => {
          const version = listVersion;
          const tools = await listTools(current, {
            signal,
            timeout: connectTimeout,
            totalTimeout: connectTimeout,
          });
          if (version === listVersion) listing = { tools, readAt: Date.now() };
          return tools;
        },
        { signal, mayRepeat: failure => passingFailures.has(failure.kind) },
      ),
    { rememberFailureFor: retryFailedAfter },
  );

  function forget(ended: McpSession): void {
    if (session !== ended) return;
    session = undefined;
    forgetListing();
  }

  async function open({ signal }: { signal?: AbortSignal }): Promise<McpSession> {
    const closeCountBefore = closeCount;
    if (!isOpen()) await admit({ signal });
    if (closeCount > closeCountBefore) throw new McpFailure({ kind: 'closed' });
    return session && isOpen() ? session : opening.join({ signal });
  }

  function isOpen(): boolean {
    return session !== undefined && !session.isClosed;
  }

  /** Lets a server that falls over again and again rest before it is opened anew. */
  async function admit({ signal }: { signal?: AbortSignal }): Promise<void> {
    if (isOpen()) return;
    const closeCountBefore = closeCount;
    await crashes.admit({ signal }).catch(error => {
      hasFailed = !signal?.aborted;
      throw error;
    });
    if (closeCount > closeCountBefore) throw new McpFailure({ kind: 'closed' });
  }

  async function withSession<T>(
    operation: (session: McpSession) => Promise<T>,
    options: WithSessionOptions,
  ): Promise<T> {
    useCount++;
    clearTimeout(idleTimer);
    try {
      return await attempt(operation, options);
    } finally {
      if (--useCount === 0) idleTimer = toIdleTimer();
    }
  }

  /** Ends the connection when nobody has used it for long. A waiting timer keeps no process alive. */
  function toIdleTimer(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      const idle = session;
      if (idle === undefined || useCount > 0) return;
      forget(idle);
      idle.close().catch(() => {});
    }, toTimerDelay(idleTimeout));
    if (typeof timer === 'object') timer.unref();
    return timer;
  }

  async function attempt<T>(
    operation: (session: McpSession) => Promise<T>,
    { signal, mayRepeat }: WithSessionOptions,
  ): Promise<T> {
    const closeCountBefore = closeCount;
    for (let attempt = 1; ; attempt++) {
      const current = await open({ signal });
      try {
        return await operation(current);
      } catch (error) {
        signal?.throwIfAborted();
        const failure = toMcpFailure(error);
        if (failure.kind === 'session-expired') {
          // Whoever notices first retires it; the others find the new session. A session that was closed is
          // known to be so, and one whose stream broke is still good.
          forget(current);
          if (!current.isClosed) retired.add(current);
          current.retire();
        }
        if (attempt > 1 || !mayRepeat(failure) || closeCount > closeCountBefore) throw failure;
      }
    }
  }

  function isFresh({ readAt }: { readAt: number }): boolean {
    return session?.changesUnannounced === false || Date.now() - readAt < unannouncedListAge;
  }

  return {
    get state() {
      if (isOpen()) return 'ready';
      if (opening.isRunning) return 'connecting';
      return hasFailed ? 'failed' : 'idle';
    },
    async listTools({ signal } = {}) {
      signal?.throwIfAborted();
      if (listing && isFresh(listing)) return listing.tools;
      await admit({ signal }); // outside the reading, which would remember the refusal beyond its time
      return reading.join({ signal });
    },
    withSession,
    async close() {
      clearTimeout(idleTimer);
      const ended = [...retired, ...(session ? [session] : [])];
      const reason = new McpFailure({ kind: 'closed' });
      closeCount++;
      session = undefined;
      hasFailed = false;
      crashes.reset();
      forgetListing();
      await Promise.all([
        reading.stop(reason),
        opening.stop(reason),
        ...ended.map(endedSession => endedSession.close()),
      ]);
    },
  };
}
