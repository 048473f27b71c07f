import { toTimerDelay } from '../../shared/abort.js';

/** Notices when nothing was heard of somebody for too long. */
export interface InactivityTimer {
  /** Something was heard. */
  restart(): void;
  stop(): void;
}

export function createInactivityTimer({
  milliseconds,
  lastExcusedAt,
  onSilence,
}: {
  milliseconds: number;
  /** The latest time, by `performance.now()`, until which silence is excused for another reason. */
  lastExcusedAt: () => number;
  onSilence: () => void;
}): InactivityTimer {
  let heardAt = performance.now();
  let timer: ReturnType<typeof setTimeout>;

  function check(): void {
    const remaining = Math.max(heardAt, lastExcusedAt()) + milliseconds - performance.now();
    if (remaining > 0) schedule(remaining);
    else onSilence();
  }

  function schedule(delay: number): void {
    timer = setTimeout(check, toTimerDelay(Math.ceil(delay)));
  }

  schedule(milliseconds);
  return {
    restart() {
      heardAt = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
