import { wait } from '../../shared/abort.js';
import { McpFailure } from './failures.js';

/** Delays the restarts of a server that repeatedly ends unexpectedly, and stops them after too many. */
export interface RestartLimit {
  /** Records that the connection ended unexpectedly. */
  recordCrash(): void;
  /**
   * Waits until the server may be started again.
   *
   * @throws McpFailure `crashing` after too many recent crashes, or the signal's reason.
   */
  waitForTurn(options: { signal?: AbortSignal }): Promise<void>;
  /** Forgets all recorded crashes. */
  reset(): void;
}

/** Period in which crashes count, in milliseconds. */
const crashPeriod = 60_000;

/** Delays before a restart after the first, second … crash, in milliseconds. They are short because the model waits. */
const restartDelays = [0, 250, 500, 1000];

/** @param options.cooldown Time without restarts after more crashes than there are delays, in milliseconds. */
export function createRestartLimit({ cooldown }: { cooldown: number }): RestartLimit {
  let crashes: number[] = [];

  return {
    recordCrash() {
      crashes = [...crashes.filter(time => time > Date.now() - crashPeriod), Date.now()];
    },
    async waitForTurn({ signal }) {
      const recent = crashes.filter(time => time > Date.now() - crashPeriod);
      const last = recent.at(-1);
      if (last === undefined) return;
      const delay = restartDelays[recent.length - 1];
      const remaining = last + (delay ?? cooldown) - Date.now();
      if (remaining <= 0) return;
      if (delay === undefined) {
        throw new McpFailure({ kind: 'crashing', count: recent.length, milliseconds: remaining });
      }
      await wait(remaining, signal);
    },
    reset() {
      crashes = [];
    },
  };
}
