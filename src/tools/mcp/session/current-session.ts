import type { FetchLike } from '@modelcontextprotocol/client';
import { untilAborted, wait } from '../../../core/shared/abort.js';
import type { Telemetry } from '../../../core/telemetry.js';
import { authorizationOf } from '../auth/server-authorization.js';
import type { McpServerConfig } from '../config/config.js';
import { McpFailure, toMcpFailure } from '../transport/failures.js';
import { inform } from '../../../core/shared/inform.js';
import type { McpCallbacks, McpConnectionState } from '../config/callbacks.js';
import { toMcpError } from './errors.js';
import { type KnownEra, openSession } from './open-session.js';
import type { McpSession } from './session.js';
import { readStoredSession, type McpStoredSession } from '../transport/stored-session.js';
import { runDetached } from '../../../core/shared/async-context.js';

export interface CurrentSessionOptions {
  /** Maximum time for a server to start and to list its tools, in milliseconds. */
  connectTimeout: number;
  /** Maximum time for which a failure is remembered, and time without restarts after too many crashes, in milliseconds. */
  retryFailedAfter: number;
  telemetry?: Telemetry | undefined;
  fetch?: FetchLike;
  /** The server's name for the callbacks. */
  serverName: string;
  callbacks: McpCallbacks;
  /** Called when the tool list may have changed: the server announced it, or the session was opened or closed. */
  onToolsChanged: () => void;
}

/** Returns true if a user, or another process, can end a failure at any time. It must not delay the next use. */
export function mayEndBySignIn(error: unknown, config: McpServerConfig): boolean {
  return authorizationOf(config) !== undefined && toMcpFailure(error).kind === 'unauthorized';
}

/** The session with one server: opened on demand, and again after it was lost. */
export interface CurrentSession {
  /** The open session. */
  readonly session: McpSession | undefined;
  readonly state: McpConnectionState;
  /** Number of calls of `close()`. A caller that sees it change must not open a new session. */
  readonly closeCount: number;
  /** The last attempt to open a session, if it failed. */
  readonly failure: RememberedFailure | undefined;
  /** Waits until a server that crashed may be started again. Throws `crashing`, `closed` or the signal's reason. */
  waitForRestart(options: { signal?: AbortSignal }): Promise<void>;
  /** Opens a session if none is open. Concurrent callers share the attempt. */
  open(options: { signal?: AbortSignal }): Promise<McpSession>;
  /** Opens a session of an earlier process. The caller retires it, which does not end it at the server. */
  attach(stored: McpStoredSession, options: { signal?: AbortSignal }): Promise<McpSession>;
  /** Replaces an expired session for the next use. Its running operations may finish. */
  retire(expired: McpSession): void;
  /** Ends the state `failed`. */
  forgetFailure(): void;
  /** Closes the open session, which no caller uses. */
  closeIdle(): void;
  /** Closes all sessions, including retired ones, and aborts an attempt to open one. */
  close(reason: McpFailure): Promise<void>;
}

/** The members that change. */
interface ChangingSession extends CurrentSession {
  session: McpSession | undefined;
  closeCount: number;
}

export function createCurrentSession(
  config: McpServerConfig,
  { connectTimeout, retryFailedAfter, onToolsChanged, ...options }: CurrentSessionOptions,
): CurrentSession {
  const restarts = createRestartLimit({ cooldown: retryFailedAfter });
  const report = createStateReports(config, options);
  const signInUrl = (): string | undefined => authorizationOf(config)?.signInUrl;
  /** Expired sessions with running operations. */
  const retired = new Set<McpSession>();
  const era: KnownEra = { legacyUntil: 0 };
  /** The session of an earlier process, with which the first attempt goes on. */
  let initial = readStoredSession(config);
  let hasFailed = false;

  const opening = createSharedTask(
    async signal => {
      report('connecting');
      try {
        const opened = await openSession(withSession(config, initial), {
          ...options,
          signal,
          timeout: connectTimeout,
          era,
          onToolsChanged,
          onClose(ended) {
            if (current.session === ended) restarts.recordCrash();
            retired.delete(ended);
            forget(ended);
          },
        });
        if (signal.aborted) {
          await opened.close();
          throw signal.reason;
        }
        onToolsChanged();
        initial = undefined;
        current.session = opened;
        hasFailed = false;
        report('ready');
        // Nobody reports again that it has closed while it was opened.
        if (opened.isClosed) forget(opened);
        return opened;
      } catch (error) {
        const needsSignIn = signInUrl() !== undefined;
        hasFailed = !signal.aborted && !needsSignIn;
        if (signal.aborted) report('idle');
        else report(needsSignIn ? 'unauthorized' : 'failed', error);
        throw error;
      }
    },
    { rememberFailureFor: retryFailedAfter, isRemembered: error => !mayEndBySignIn(error, config) },
  );

  function forget(ended: McpSession): void {
    if (current.session !== ended) return;
    current.session = undefined;
    report('idle');
    onToolsChanged();
  }

  const current: ChangingSession = {
    session: undefined,
    closeCount: 0,
    get state() {
      if (signInUrl()) return 'unauthorized';
      if (current.session) return 'ready';
      if (opening.isRunning) return 'connecting';
      return hasFailed ? 'failed' : 'idle';
    },
    get failure() {
      return opening.failure;
    },
    async waitForRestart({ signal }) {
      if (current.session) return;
      const { closeCount } = current;
      await restarts.waitForTurn({ signal }).catch(error => {
        hasFailed = !signal?.aborted;
        if (hasFailed) report('failed', error);
        throw error;
      });
      if (current.closeCount > closeCount) throw new McpFailure({ kind: 'closed' });
    },
    async open({ signal }) {
      await current.waitForRestart({ signal });
      return current.session ?? opening.join({ signal });
    },
    attach: (stored, { signal = new AbortController().signal }) =>
      openSession(withSession(config, stored), {
        ...options,
        signal,
        timeout: connectTimeout,
        era,
        onToolsChanged: () => {},
        onClose: attached => retired.delete(attached),
      }),
    retire(expired) {
      forget(expired);
      if (!expired.isClosed) retired.add(expired);
      expired.retire();
    },
    forgetFailure() {
      hasFailed = false;
      opening.forgetFailure();
    },
    closeIdle() {
      const { session: idle } = current;
      if (idle === undefined) return;
      forget(idle);
      idle.close().catch(() => {});
    },
    async close(reason) {
      const ended = [...retired, ...(current.session ? [current.session] : [])];
      current.closeCount++;
      current.session = undefined;
      hasFailed = false;
      restarts.reset();
      report('idle');
      onToolsChanged();
      await Promise.all([opening.stop(reason), ...ended.map(endedSession => endedSession.close())]);
    },
  };
  return current;
}

/** Returns a configuration with another stored session, or with none. */
const withSession = (config: McpServerConfig, stored: McpStoredSession | undefined): McpServerConfig =>
  'url' in config
    ? {
        ...config,
        initialSessionId: stored?.initialSessionId,
        initialInitializeResult: stored?.initialInitializeResult,
      }
    : config;

/** Reports each change of the state of a connection, with the error that caused it. */
function createStateReports(
  config: McpServerConfig,
  options: Pick<CurrentSessionOptions, 'serverName' | 'callbacks'>,
) {
  let reported: McpConnectionState = 'idle';
  return (state: McpConnectionState, cause?: unknown): void => {
    if (state === reported) return;
    reported = state;
    inform(options.callbacks.onStateChange, {
      server: options.serverName,
      state,
      ...(cause !== undefined && { error: toMcpError(cause, { serverName: options.serverName, config }) }),
      ...(state === 'unauthorized' && { authorizationUrl: authorizationOf(config)?.signInUrl }),
    });
  };
}

/** Period in which crashes count, in milliseconds. */
const crashPeriod = 60_000;

const longestDelay = 1000;

/** Delays before a restart after the first, second … crash, in milliseconds. They are short because the model waits. */
const restartDelays = [0, 250, 500, longestDelay];

/**
 * Delays the restarts of a server that repeatedly ends unexpectedly, and stops them after too many.
 *
 * @param options.cooldown Time without restarts after more crashes than there are delays, in milliseconds.
 * @internal
 */
export function createRestartLimit(options: { cooldown: number }) {
  let crashes: number[] = [];

  return {
    /** Records that the connection ended unexpectedly. */
    recordCrash(): void {
      crashes = [...crashes.filter(time => time > Date.now() - crashPeriod), Date.now()];
    },
    /**
     * Waits until the server may be started again.
     *
     * @throws McpFailure `crashing` after too many recent crashes, or the signal's reason.
     */
    async waitForTurn({ signal }: { signal?: AbortSignal }): Promise<void> {
      const recent = crashes.filter(time => time > Date.now() - crashPeriod);
      const last = recent.at(-1);
      if (last === undefined) return;
      const delay = restartDelays[recent.length - 1];
      const remaining = last + (delay ?? options.cooldown) - Date.now();
      if (remaining <= 0) return;
      if (delay === undefined) {
        throw new McpFailure({ kind: 'crashing', count: recent.length, milliseconds: remaining });
      }
      await wait(remaining, signal);
    },
    reset(): void {
      crashes = [];
    },
  };
}

interface Run<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  callerCount: number;
}

/** A failure, and when the next use tries again, in milliseconds since 1970. */
export interface RememberedFailure {
  readonly error: unknown;
  readonly failedAt: number;
  readonly nextAttemptAt: number;
}

/** Duration up to which a failed attempt costs so little that the next use repeats it, in milliseconds. */
const cheapAttempt = 250;

/** A connection is refused at once. On a busy machine, the attempt takes longer for other reasons. */
const isRefused = (error: unknown): boolean =>
  error instanceof McpFailure && error.systemCode === 'ECONNREFUSED';

/** Remembers a failure as long as its attempt was expensive. */
class FailureMemory {
  #last: RememberedFailure | undefined;
  /** Number of failures in a row. */
  #count = 0;

  readonly #maximum: number;

  /** @param maximum Time after which a failure is forgotten in any case, in milliseconds. */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get last(): RememberedFailure | undefined {
    return this.#last;
  }

  record(error: unknown, duration: number): void {
    const failedAt = Date.now();
    const delay =
      duration < cheapAttempt || isRefused(error) ? (restartDelays[this.#count] ?? longestDelay) : duration;
    this.#count++;
    this.#last = { error, failedAt, nextAttemptAt: failedAt + Math.min(delay, this.#maximum) };
  }

  forget(): void {
    this.#last = undefined;
    this.#count = 0;
  }

  /**
   * Returns the time to wait before the next attempt, in milliseconds: at most that of a restart.
   *
   * @throws the failure if it is remembered for longer.
   */
  delay(): number {
    if (this.#last === undefined) return 0;
    const { error, failedAt, nextAttemptAt } = this.#last;
    const remaining = nextAttemptAt - Date.now();
    if (remaining <= longestDelay) return Math.max(remaining, 0);
    if (!(error instanceof McpFailure)) throw error;
    throw new McpFailure({ ...error, message: error.message, cause: error, failedAt, nextAttemptAt });
  }
}

/**
 * Runs an operation once for concurrent callers, outside of their asynchronous context. An aborted caller leaves
 * without affecting the others, and the run is aborted when the last caller leaves.
 *
 * A failure of an attempt that took long is remembered as long, at most `rememberFailureFor` milliseconds, and thrown
 * immediately, so that a broken operation does not delay every caller. An attempt that failed at once is repeated after a
 * short delay. `isRemembered` excludes failures that may end at any time.
 */
export function createSharedTask<T>(
  operation: (signal: AbortSignal) => Promise<T>,
  {
    rememberFailureFor = 0,
    isRemembered = () => true,
  }: { rememberFailureFor?: number; isRemembered?: (error: unknown) => boolean } = {},
) {
  let run: Run<T> | undefined;
  const memory = new FailureMemory(rememberFailureFor);
  const unfinished = new Set<Promise<unknown>>();

  function start(delay: number): Run<T> {
    const controller = new AbortController();
    const { signal } = controller;
    let startedAt = performance.now();
    const attempt = async (): Promise<T> => {
      if (delay > 0) await wait(delay, signal);
      startedAt = performance.now();
      return operation(signal);
    };
    const started: Run<T> = { controller, result: runDetached(attempt), callerCount: 0 };
    const ended = started.result
      .then(
        () => memory.forget(),
        error => {
          if (!signal.aborted && isRemembered(error)) memory.record(error, performance.now() - startedAt);
        },
      )
      .finally(() => {
        unfinished.delete(ended);
        if (run === started) run = undefined;
      });
    unfinished.add(ended);
    return started;
  }

  function abandon(abandoned: Run<T>, reason: unknown): void {
    if (run === abandoned) run = undefined;
    abandoned.controller.abort(reason);
  }

  return {
    /** Waits for the current run, or starts one. Rejects with the signal's reason if that comes first. */
    async join(options: { signal?: AbortSignal } = {}): Promise<T> {
      options.signal?.throwIfAborted();
      run ??= start(memory.delay());
      const joined = run;
      joined.callerCount++;
      try {
        return await untilAborted(joined.result, options.signal);
      } finally {
        joined.callerCount--;
        if (joined.callerCount === 0 && options.signal?.aborted) abandon(joined, options.signal.reason);
      }
    },
    /** Aborts the current run with the reason, waits until it has ended and forgets a remembered failure. */
    async stop(reason: unknown): Promise<void> {
      if (run) abandon(run, reason);
      await Promise.all(unfinished);
      memory.forget();
    },
    get isRunning(): boolean {
      return run !== undefined;
    },
    /** The last run, if it failed. */
    get failure(): RememberedFailure | undefined {
      return memory.last;
    },
    forgetFailure: () => memory.forget(),
  };
}
