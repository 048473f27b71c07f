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
export class CurrentSession {
  readonly #config: McpServerConfig;
  readonly #options: CurrentSessionOptions;
  readonly #report: (state: McpConnectionState, cause?: unknown) => void;
  readonly #restarts: ReturnType<typeof createRestartLimit>;
  readonly #opening: SharedTask<McpSession>;
  /** Expired sessions with running operations. */
  readonly #retired = new Set<McpSession>();
  readonly #era: KnownEra = { legacyUntil: 0 };
  /** The session of an earlier process, with which the first attempt goes on. */
  #initial: McpStoredSession | undefined;
  #session: McpSession | undefined;
  #closeCount = 0;
  #hasFailed = false;

  constructor(config: McpServerConfig, options: CurrentSessionOptions) {
    this.#config = config;
    this.#options = options;
    this.#report = createStateReports(config, options);
    this.#initial = readStoredSession(config);
    const { retryFailedAfter } = options;
    this.#restarts = createRestartLimit({ cooldown: retryFailedAfter });
    this.#opening = new SharedTask(signal => this.#openNext(signal), {
      rememberFailureFor: retryFailedAfter,
      isRemembered: error => !mayEndBySignIn(error, config),
    });
  }

  /** The open session. */
  get session(): McpSession | undefined {
    return this.#session;
  }

  get state(): McpConnectionState {
    if (this.#needsSignIn) return 'unauthorized';
    if (this.#session) return 'ready';
    if (this.#opening.isRunning) return 'connecting';
    return this.#hasFailed ? 'failed' : 'idle';
  }

  /** Number of calls of `close()`. A caller that sees it change must not open a new session. */
  get closeCount(): number {
    return this.#closeCount;
  }

  /** The last attempt to open a session, if it failed. */
  get failure(): RememberedFailure | undefined {
    return this.#opening.failure;
  }

  get #needsSignIn(): boolean {
    return authorizationOf(this.#config)?.signInUrl !== undefined;
  }

  /** Waits until a server that crashed may be started again. Throws `crashing`, `closed` or the signal's reason. */
  async waitForRestart({ signal }: { signal?: AbortSignal }): Promise<void> {
    if (this.#session) return;
    const closeCount = this.#closeCount;
    await this.#restarts.waitForTurn({ signal }).catch(error => {
      this.#hasFailed = !signal?.aborted;
      if (this.#hasFailed) this.#report('failed', error);
      throw error;
    });
    if (this.#closeCount > closeCount) throw new McpFailure({ kind: 'closed' });
  }

  /** Opens a session if none is open. Concurrent callers share the attempt. */
  async open({ signal }: { signal?: AbortSignal }): Promise<McpSession> {
    await this.waitForRestart({ signal });
    return this.#session ?? this.#opening.join({ signal });
  }

  /** Opens a session of an earlier process. The caller retires it, which does not end it at the server. */
  attach(stored: McpStoredSession, options: { signal?: AbortSignal }): Promise<McpSession> {
    return openSession(withSession(this.#config, stored), {
      ...this.#options,
      signal: options.signal ?? new AbortController().signal,
      timeout: this.#options.connectTimeout,
      era: this.#era,
      onToolsChanged: () => {},
      onClose: attached => this.#retired.delete(attached),
      onStreamLost: attached => attached.retire(),
    });
  }

  /** Replaces a session that has expired, or lost a stream, for the next use. Its running operations may finish. */
  retire(replaced: McpSession, options?: { isLeft: boolean }): void {
    this.#forget(replaced);
    if (!replaced.isClosed) this.#retired.add(replaced);
    replaced.retire(options);
  }

  /** Ends the state `failed`. */
  forgetFailure(): void {
    this.#hasFailed = false;
    this.#opening.forgetFailure();
  }

  /** Closes the open session, which no caller uses. */
  closeIdle(): void {
    const idle = this.#session;
    if (idle === undefined) return;
    this.#forget(idle);
    idle.close().catch(() => {});
  }

  /** Closes all sessions, including retired ones, and aborts an attempt to open one. */
  async close(reason: McpFailure): Promise<void> {
    const ended = [...this.#retired, ...(this.#session ? [this.#session] : [])];
    this.#closeCount++;
    this.#session = undefined;
    this.#hasFailed = false;
    this.#restarts.reset();
    this.#report('idle');
    this.#options.onToolsChanged();
    await Promise.all([this.#opening.stop(reason), ...ended.map(session => session.close())]);
  }

  async #openNext(signal: AbortSignal): Promise<McpSession> {
    this.#report('connecting');
    try {
      const opened = await openSession(withSession(this.#config, this.#initial), {
        ...this.#options,
        signal,
        timeout: this.#options.connectTimeout,
        era: this.#era,
        onClose: ended => {
          if (this.#session === ended) this.#restarts.recordCrash();
          this.#retired.delete(ended);
          this.#forget(ended);
        },
        onStreamLost: lost => this.retire(lost, { isLeft: false }),
      });
      if (signal.aborted) {
        await opened.close();
        throw signal.reason;
      }
      this.#options.onToolsChanged();
      this.#initial = undefined;
      this.#session = opened;
      this.#hasFailed = false;
      this.#report('ready');
      return opened;
    } catch (error) {
      const needsSignIn = this.#needsSignIn;
      this.#hasFailed = !signal.aborted && !needsSignIn;
      if (signal.aborted) this.#report('idle');
      else this.#report(needsSignIn ? 'unauthorized' : 'failed', error);
      throw error;
    }
  }

  #forget(ended: McpSession): void {
    if (this.#session !== ended) return;
    this.#session = undefined;
    this.#report('idle');
    this.#options.onToolsChanged();
  }
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
export class SharedTask<T> {
  readonly #operation: (signal: AbortSignal) => Promise<T>;
  readonly #isRemembered: (error: unknown) => boolean;
  readonly #memory: FailureMemory;
  readonly #unfinished = new Set<Promise<unknown>>();
  #run: Run<T> | undefined;

  constructor(
    operation: (signal: AbortSignal) => Promise<T>,
    options: { rememberFailureFor?: number; isRemembered?: (error: unknown) => boolean } = {},
  ) {
    this.#operation = operation;
    this.#isRemembered = options.isRemembered ?? (() => true);
    this.#memory = new FailureMemory(options.rememberFailureFor ?? 0);
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** The last run, if it failed. */
  get failure(): RememberedFailure | undefined {
    return this.#memory.last;
  }

  /** Waits for the current run, or starts one. Rejects with the signal's reason if that comes first. */
  async join(options: { signal?: AbortSignal } = {}): Promise<T> {
    options.signal?.throwIfAborted();
    this.#run ??= this.#start(this.#memory.delay());
    const joined = this.#run;
    joined.callerCount++;
    try {
      return await untilAborted(joined.result, options.signal);
    } finally {
      joined.callerCount--;
      if (joined.callerCount === 0 && options.signal?.aborted) this.#abandon(joined, options.signal.reason);
    }
  }

  /** Aborts the current run with the reason, waits until it has ended and forgets a remembered failure. */
  async stop(reason: unknown): Promise<void> {
    if (this.#run) this.#abandon(this.#run, reason);
    await Promise.all(this.#unfinished);
    this.forgetFailure();
  }

  forgetFailure(): void {
    this.#memory.forget();
  }

  #start(delay: number): Run<T> {
    const controller = new AbortController();
    const { signal } = controller;
    let startedAt = performance.now();
    const attempt = async (): Promise<T> => {
      if (delay > 0) await wait(delay, signal);
      startedAt = performance.now();
      return this.#operation(signal);
    };
    const started: Run<T> = { controller, result: runDetached(attempt), callerCount: 0 };
    const ended = started.result
      .then(
        () => this.#memory.forget(),
        error => {
          if (signal.aborted || !this.#isRemembered(error)) return;
          this.#memory.record(error, performance.now() - startedAt);
        },
      )
      .finally(() => {
        this.#unfinished.delete(ended);
        if (this.#run === started) this.#run = undefined;
      });
    this.#unfinished.add(ended);
    return started;
  }

  #abandon(abandoned: Run<T>, reason: unknown): void {
    if (this.#run === abandoned) this.#run = undefined;
    abandoned.controller.abort(reason);
  }
}
