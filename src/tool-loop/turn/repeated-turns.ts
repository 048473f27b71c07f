import type { CoreCall } from '../../core/call.js';
import { toStableJson } from '../../shared/json.js';
import { toPlainJson } from '../../shared/plain-json.js';
import type { Exchange } from './partial-turn.js';

/*
 * Turns that a host repeats after a failure, such as `streamText` of `ai` 7 with `streamRetries`. It passes the same signal
 * and the same headers object again, and the loop replays what the failed attempt has done. A turn that finished is never
 * replayed: its call may come again on purpose.
 */

/** Time in milliseconds for which a failed turn is kept. Hosts wait less before they repeat it. */
const KEPT_FOR = 120_000;

/** The parts of a call that identify it. */
type TurnCall = Pick<CoreCall, 'prompt' | 'abortSignal' | 'headers' | 'own'>;

interface Attempt {
  readonly call: TurnCall;
  /** What it has done, if it has failed. */
  done?: readonly Exchange[];
}

/** An attempt at a turn that runs. */
export interface RunningTurn {
  /** What the attempt before has done, in its order. Empty if there was none. */
  readonly done: readonly Exchange[];
  /** Keeps what the turn has done until the host repeats it, or for a limited time. */
  fail(done: readonly Exchange[]): void;
  /** Forgets the turn unless it failed. */
  end(): void;
}

export type RepeatedTurns = ReturnType<typeof createRepeatedTurns>;

/** Keeps the failed turns of one model. */
export function createRepeatedTurns() {
  const byObject = new WeakMap<object, Set<Attempt>>();
  const byTurnId = new Map<unknown, Attempt>();

  return {
    begin(call: TurnCall): RunningTurn {
      const repeated = find(call);
      if (repeated !== undefined) remove(repeated);
      const attempt: Attempt = { call };
      for (const key of keysOf(call)) byObject.set(key, (byObject.get(key) ?? new Set()).add(attempt));
      return {
        done: repeated?.done ?? [],
        fail(done) {
          if (done.length === 0) return;
          attempt.done = done;
          if (call.own.turnId != null) byTurnId.set(call.own.turnId, attempt);
          const timer: unknown = setTimeout(() => remove(attempt), KEPT_FOR);
          if (typeof timer === 'object' && timer !== null && 'unref' in timer)
            (timer as NodeJS.Timeout).unref();
        },
        end() {
          if (attempt.done === undefined) remove(attempt);
        },
      };
    },
  };

  function find(call: TurnCall): Attempt | undefined {
    const { headers, abortSignal, own } = call;
    const isSame = (attempt: Attempt): boolean =>
      (attempt.call.own.turnId ?? null) === (own.turnId ?? null) && isEqualPrompt(attempt.call, call);
    const named = own.turnId == null ? undefined : byTurnId.get(own.turnId);
    if (named !== undefined && isSame(named)) return named;
    // A host creates the headers of each call.
    const sent = [...((headers && byObject.get(headers)) ?? [])];
    const found = sent.find(attempt => attempt.done !== undefined && isSame(attempt));
    if (found !== undefined) return found;
    // Applications share a signal: with another turn of the same prompt, the failed one could be that of another call.
    const [only, ...others] = [...((abortSignal && byObject.get(abortSignal)) ?? [])].filter(isSame);
    return others.length === 0 && only?.done !== undefined ? only : undefined;
  }

  function remove(attempt: Attempt): void {
    for (const key of keysOf(attempt.call)) byObject.get(key)?.delete(attempt);
    const { turnId } = attempt.call.own;
    if (byTurnId.get(turnId) === attempt) byTurnId.delete(turnId);
  }
}

const keysOf = ({ headers, abortSignal }: TurnCall): object[] =>
  [headers, abortSignal].filter(key => key !== undefined);

const isEqualPrompt = (a: TurnCall, b: TurnCall): boolean =>
  a.prompt === b.prompt || toStableJson(toPlainJson(a.prompt)) === toStableJson(toPlainJson(b.prompt));
