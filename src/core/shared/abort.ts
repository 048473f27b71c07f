import { KelivoError } from './errors.js';

/** The members of an `AbortSignal` that are used to follow it. */
export interface AbortSource extends Pick<AbortSignal, 'aborted' | 'reason' | 'throwIfAborted'> {
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Functions to call when a signal aborts. All of one signal share a listener. */
interface Followers {
  readonly functions: Set<() => void>;
  readonly stop: () => void;
}

const followersBySignal = new WeakMap<AbortSource, Followers>();

/**
 * Calls a function when a signal aborts, at once if it has aborted. The function must not throw. A signal gets one
 * listener for any number of functions: runtimes report more than ten listeners as a leak, but many calls and turns may
 * share a signal.
 *
 * @returns a function that removes it. Otherwise a long-lived signal would collect functions.
 */
export function onceAborted(signal: AbortSource, onAbort: () => void): () => void {
  if (signal.aborted) {
    onAbort();
    return () => {};
  }
  const { functions, stop } = followersBySignal.get(signal) ?? follow(signal);
  // The same function may be added twice.
  const follower = (): void => onAbort();
  functions.add(follower);
  return () => {
    if (functions.delete(follower) && functions.size === 0) stop();
  };
}

function follow(signal: AbortSource): Followers {
  const functions = new Set<() => void>();
  const onAbort = (): void => {
    followersBySignal.delete(signal);
    for (const follower of functions) follower();
    functions.clear();
  };
  const followers = {
    functions,
    stop() {
      followersBySignal.delete(signal);
      signal.removeEventListener('abort', onAbort);
    },
  };
  followersBySignal.set(signal, followers);
  signal.addEventListener('abort', onAbort, { once: true });
  return followers;
}

/** An abort controller that also follows the caller's signal. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Stops following the caller's signal. Otherwise a long-lived signal would collect listeners. */
  release(): void;
}

export function linkSignal(outer: AbortSource | undefined): LinkedSignal {
  const controller = new AbortController();
  const release = outer === undefined ? () => {} : onceAborted(outer, () => controller.abort(outer.reason));
  return {
    signal: controller.signal,
    abort: reason => controller.abort(reason),
    release,
  };
}

/**
 * Returns the promise, or rejects with the signal's reason as soon as the signal aborts. The work itself is not stopped.
 * Removes its listener.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSource | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let release = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    release = onceAborted(signal, () => reject(signal.reason));
  });
  // After an abort, the rejection of the work would be unhandled.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    release();
  }
}

/** Waits for a number of milliseconds, or rejects with the signal's reason as soon as the signal aborts. */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, toTimerDelay(milliseconds));
  });
  await untilAborted(passed, signal).finally(() => clearTimeout(timer));
}

/** Clamps a time limit to the range of a timer. Node fires longer ones, and `Infinity`, after one millisecond. */
export function toTimerDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 1), 2 ** 31 - 1);
}

/** A signal that follows another one and also aborts after a time. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** True if the time has passed, in which case the signal has aborted. */
  readonly isOver: boolean;
  abort(reason: unknown): void;
  restart(): void;
  /** Releases the timer and the other signal. */
  release(): void;
}

/** Creates a time limit. Without `milliseconds` the signal only follows the other one. */
export function createTimeLimit(
  outer: AbortSignal | undefined,
  options: { milliseconds: number | undefined; message: string },
): TimeLimit {
  const link = linkSignal(outer);
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const restart = (): void => {
    clearTimeout(timer);
    if (options.milliseconds === undefined || link.signal.aborted) return;
    timer = setTimeout(() => {
      isOver = true;
      link.abort(new DOMException(options.message, 'TimeoutError'));
    }, toTimerDelay(options.milliseconds));
  };
  restart();

  return {
    signal: link.signal,
    abort: link.abort,
    get isOver() {
      return isOver;
    },
    restart,
    release() {
      clearTimeout(timer);
      link.release();
    },
  };
}

/** The times between the calls of a source's `close()`. */
export interface Closing {
  /** Aborts at the next `close()`. After it there is a new signal. */
  readonly signal: AbortSource;
  close(): void;
}

/** @param name What is closed, in the message of the error with which turns end. */
export function createClosing(name: string): Closing {
  let current = createCloseSignal();
  return {
    get signal() {
      return current.signal;
    },
    close() {
      const closed = current;
      current = createCloseSignal();
      closed.abort(
        new KelivoError({
          code: 'closed',
          message:
            `The turn was ended by \`close()\` of ${name}. ` +
            'Wait for turns to end before you close. A new turn opens the tools again.',
        }),
      );
    },
  };
}

/**
 * Creates a signal that is no `AbortSignal`. Cloudflare Workers create those during a request only, and bind them to it,
 * while a provider is created when the module is evaluated, and serves all requests.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/handlers/fetch/
 */
function createCloseSignal() {
  const listeners = new Set<() => void>();
  let state: { readonly reason: unknown } | undefined;
  const signal: AbortSource = {
    get aborted() {
      return state !== undefined;
    },
    get reason() {
      return state?.reason;
    },
    throwIfAborted() {
      if (state !== undefined) throw state.reason;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
  return {
    signal,
    abort(reason: unknown): void {
      state = { reason };
      for (const listener of [...listeners]) listener();
      listeners.clear();
    },
  };
}
