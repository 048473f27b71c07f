import { isErrorOutput, type CallOutcome } from './calls.js';
import { toValidJson } from './calls.js';

/** Bounds a turn: a model that gets nowhere is asked to answer with what it has. */
export interface TurnLimits {
  /** Counts one more call. @returns why it may not run, if so. */
  admitCall(): string | undefined;
  /** Looks at what became of the calls of a round. */
  recordOutcomes(outcomes: readonly CallOutcome[]): void;
  /** Why a round may bring no calls, if so. */
  reasonToStopCalling(round: number): string | undefined;
}

/** So often a call may fail in the same way before the model has to answer without it. */
const MAX_SAME_FAILURES = 3;

export function createTurnLimits({
  maxRounds,
  maxToolCalls,
}: {
  maxRounds: number;
  maxToolCalls: number | undefined;
}): TurnLimits {
  const failures = new Map<string, number>();
  let calls = 0;
  let isStuck = false;

  return {
    admitCall() {
      calls++;
      return maxToolCalls !== undefined && calls > maxToolCalls ? toReason(maxToolCalls) : undefined;
    },

    recordOutcomes(outcomes) {
      for (const { call, output } of outcomes) {
        if (!isErrorOutput(output)) continue;
        const key = JSON.stringify([call.toolName, toValidJson(call.input), output]);
        const count = (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        if (count >= MAX_SAME_FAILURES) isStuck = true;
      }
    },

    reasonToStopCalling(round) {
      if (round >= maxRounds) return `the limit of ${maxRounds} rounds is reached.`;
      if (maxToolCalls !== undefined && calls >= maxToolCalls) return toReason(maxToolCalls);
      return isStuck ? `the same call failed ${MAX_SAME_FAILURES} times in the same way.` : undefined;
    },
  };
}

const toReason = (maxToolCalls: number): string => `the limit of ${maxToolCalls} tool calls is reached.`;
