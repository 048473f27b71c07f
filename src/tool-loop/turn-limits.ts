import { type CallOutcome, isErrorOutput, toValidJson } from './calls.js';

/** Limits a turn: after a limit is reached, the model must respond without further calls. */
export interface TurnLimits {
  /** Counts a call. @returns the reason if the call must not run. */
  admitCall(): string | undefined;
  recordOutcomes(outcomes: readonly CallOutcome[]): void;
  /** Returns the reason if the model must not call tools in a round. */
  reasonToStopCalling(round: number): string | undefined;
}

/** Number of identical failures after which the model must respond without calls. */
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
      for (const { call, tool, output } of outcomes) {
        if (tool === undefined || !isErrorOutput(output)) continue;
        countFailure(JSON.stringify([call.toolName, toValidJson(call.input), output]));
      }
      // Names that do not exist count together, once per round: the model tries different ones.
      if (outcomes.some(({ tool }) => tool === undefined)) countFailure('unknown tool');
    },

    reasonToStopCalling(round) {
      if (round >= maxRounds) return `the limit of ${maxRounds} rounds is reached.`;
      if (maxToolCalls !== undefined && calls >= maxToolCalls) return toReason(maxToolCalls);
      return isStuck ? `the same call failed ${MAX_SAME_FAILURES} times in the same way.` : undefined;
    },
  };

  function countFailure(key: string): void {
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    if (count >= MAX_SAME_FAILURES) isStuck = true;
  }
}

const toReason = (maxToolCalls: number): string => `the limit of ${maxToolCalls} tool calls is reached.`;
