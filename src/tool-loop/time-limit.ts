import { linkSignal, toTimerDelay } from '../shared/abort.js';

/** A signal that follows another one and also aborts when a time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether the time is over, in which case the signal has aborted. */
  readonly isOver: boolean;
  abort(reason: unknown): void;
  /** Lets the time start anew. */
  restart(): void;
  /** Lets go of the timer and of the other signal. */
  release(): void;
}

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
