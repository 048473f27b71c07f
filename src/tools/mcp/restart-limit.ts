import { untilAborted } from '../../shared/abort.js';
import { McpFailure } from './failures.js';

/** Slows down the restarts of a server that keeps falling over, and in the end leaves it alone. */
export interface RestartLimit {
  /** Notes that the connection ended without being asked to. */
  record(): void;
  /**
   * Waits until the server may be started again.
   *
   * @throws McpFailure `crashing` when it fell over too often of late, or the signal's reason.
   */
  admit(options: { signal?: AbortSignal }): Promise<void>;
  /** Forgets what happened. */
  reset(): void;
}

/** Crashes that lie further back do not count, in milliseconds. */
const memory = 60_000;

/** How long after the first, second … crash a server is started again, in milliseconds: the model waits. */
const pauses = [0, 250, 500, 1000];

export function createRestartLimit({ restTime }: { restTime: number }): RestartLimit {
  let crashes: number[] = [];

  return {
    record() {
      crashes = [...crashes.filter(time => time > Date.now() - memory), Date.now()];
    },
    async admit({ signal }) {
      const recent = crashes.filter(time => time > Date.now() - memory);
      const last = recent.at(-1);
      if (last === undefined) return;
      const pause = pauses[recent.length - 1];
      const remaining = last + (pause ?? restTime) - Date.now();
      if (remaining <= 0) return;
      if (pause === undefined) {
        throw new McpFailure({ kind: 'crashing', count: recent.length, milliseconds: remaining });
      }
      await wait(remaining, signal);
    },
    reset() {
      crashes = [];
    },
  };
}

async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds);
  });
  await untilAborted(passed, signal).finally(() => clearTimeout(timer));
}
