import { linkSignal, toTimerDelay } from '../shared/abort.js';

/** A signal that follows another one and also aborts after a time. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** True if the time has passed, in which case the signal has aborted. */
  readonly isOver: boolean;
  abort(reason: unknown): void;
  /** Restarts the timer. */
  restart(): void;
  /** Releases the timer and the other signal. */
  release(): void;
}

/** Creates a time limit. Without `milliseconds` the signal only follows the other one. */
export function createTimeLimit(
  outer: AbortSignal | undefined,
  { milliseconds, message }: { milliseconds: number | undefined; message: string },
): TimeLimit {
  const link = linkSignal(outer);
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const stop = (): void => clearTimeout(timer);
  const start = (): void => {
    stop();
    if (milliseconds === undefined || link.signal.aborted) return;
    timer = setTimeout(() => {
      isOver = true;
      link.abort(new DOMException(message, 'TimeoutError'));
    }, toTimerDelay(milliseconds));
  };
  start();

  return {
    signal: link.signal,
    abort: link.abort,
    get isOver() {
      return isOver;
    },
    restart: start,
    release() {
      stop();
      link.release();
    },
  };
}
