import type { ToolDefinition, ToolOutput } from '../tools/tool-source.js';
import { type CallOutcome, isErrorOutput, type LoopCall, toValidJson } from './calls.js';
import { createRepeatedCalls } from './repeated-calls.js';

/** A limit of the tool loop that can end a turn. */
export type TurnLimit =
  'max-rounds' | 'max-tool-calls' | 'repeated-failures' | 'repeated-calls' | 'total-timeout';

/** A limit that a turn has reached. */
export interface ReachedLimit {
  readonly limit: TurnLimit;
  /** The reason for the model and the user, as the end of a sentence. */
  readonly reason: string;
}

/** Returns `run`, `wait` while it depends on running calls, or the output of a call that must not run. */
export type Admission = () => 'run' | 'wait' | ToolOutput;

/** Limits a turn: after a limit is reached, the model must respond without further calls. */
export interface TurnLimits {
  /** Counts a call, in the order of the model. */
  admitCall(
    call: LoopCall,
    options: { tool: ToolDefinition | undefined; warn: (message: string) => void },
  ): Admission;
  /** Records the outcome of an admitted call as soon as it has finished. */
  recordOutcome(outcome: CallOutcome): void;
  /** Counts the failures of a finished round. */
  recordRound(outcomes: readonly CallOutcome[]): void;
  /** Returns the limit if the model must not call tools in a round. */
  reachedLimit(round: number): ReachedLimit | undefined;
}

/** Number of identical failures after which the model must respond without calls. */
const MAX_SAME_FAILURES = 3;

interface TurnLimitOptions {
  readonly maxRounds: number;
  readonly maxToolCalls: number | undefined;
  readonly maxRepeatedCalls: number;
}

export function createTurnLimits({
  maxRounds,
  maxToolCalls,
  maxRepeatedCalls,
}: TurnLimitOptions): TurnLimits {
  const repeatedCalls = createRepeatedCalls({ maxRepeatedCalls });
  const failures = new Map<string, number>();
  let calls = 0;
  let failureLimit: ReachedLimit | undefined;

  return {
    admitCall(call, { tool, warn }) {
      calls++;
      if (maxToolCalls !== undefined && calls > maxToolCalls) {
        const refusal: ToolOutput = {
          type: 'error-text',
          value: `Not run: ${toLimitReason(maxToolCalls, 'tool call')}`,
        };
        return () => refusal;
      }
      repeatedCalls.add(call, tool);
      return () => {
        const verdict = repeatedCalls.check(call);
        if (verdict !== 'repeat') return verdict;
        const times = `${toCount(maxRepeatedCalls, 'time')} in a row`;
        warn(
          `A call of the tool "${call.toolName}" was not run: the same call returned the same output ${times}.`,
        );
        // Not an error: the tool works, and its output is in the conversation.
        return {
          type: 'text',
          value: `Not run: this call returned the same output ${times}. Use that output or change the arguments.`,
        };
      };
    },

    recordOutcome({ call, output }) {
      repeatedCalls.record(call, output);
    },

    recordRound(outcomes) {
      for (const { call, tool, output } of outcomes) {
        if (tool === undefined || !isErrorOutput(output)) continue;
        countFailure(
          JSON.stringify([call.toolName, toValidJson(call.input), output]),
          `the same call failed ${MAX_SAME_FAILURES} times in the same way.`,
        );
      }
      // Names that do not exist count together, once per round: the model tries different ones.
      if (outcomes.some(({ tool }) => tool === undefined)) {
        countFailure('unknown tool', `tools that do not exist were called in ${MAX_SAME_FAILURES} rounds.`);
      }
    },

    reachedLimit(round) {
      if (round >= maxRounds) {
        return { limit: 'max-rounds', reason: toLimitReason(maxRounds, 'round') };
      }
      if (maxToolCalls !== undefined && calls >= maxToolCalls) {
        return { limit: 'max-tool-calls', reason: toLimitReason(maxToolCalls, 'tool call') };
      }
      if (failureLimit !== undefined) return failureLimit;
      return repeatedCalls.isStuck
        ? {
            limit: 'repeated-calls',
            reason: 'the same call was repeated although its output did not change.',
          }
        : undefined;
    },
  };

  function countFailure(key: string, reason: string): void {
    const times = (failures.get(key) ?? 0) + 1;
    failures.set(key, times);
    if (times >= MAX_SAME_FAILURES) failureLimit ??= { limit: 'repeated-failures', reason };
  }
}

const toLimitReason = (limit: number, noun: string): string =>
  `the limit of ${toCount(limit, noun)} is reached.`;

const toCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
