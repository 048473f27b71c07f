import { createTimeLimit, onceAborted } from '../../shared/abort.js';
import { toStableJson } from '../../shared/json.js';
import type { ToolDefinition, ToolOutput } from '../../tools/tool-source.js';
import type { Admission } from '../calls/call-schedule.js';
import { type CallOutcome, isErrorOutput, type LoopCall, parseInput, toValidJson } from '../calls/calls.js';

/** A limit of the tool loop that can end a turn. */
export type TurnLimit =
  'max-rounds' | 'max-tool-calls' | 'repeated-failures' | 'repeated-calls' | 'total-timeout';

/** A limit that a turn has reached. */
export interface ReachedLimit {
  readonly limit: TurnLimit;
  /** The reason for the model and the user, as the end of a sentence. */
  readonly reason: string;
}

export type TurnLimits = ReturnType<typeof createTurnLimits>;

/** Number of identical failures after which the model must respond without calls. */
const MAX_SAME_FAILURES = 3;

export interface TurnLimitOptions {
  readonly maxRounds: number;
  readonly maxToolCalls: number | undefined;
  readonly maxRepeatedCalls: number;
}

/** Limits a turn: after a limit is reached, the model must respond without further calls. */
export function createTurnLimits({ maxRounds, maxToolCalls, maxRepeatedCalls }: TurnLimitOptions) {
  const repeatedCalls = createRepeatedCalls(maxRepeatedCalls);
  const failures = new Map<string, number>();
  let calls = 0;
  let failureLimit: ReachedLimit | undefined;

  return {
    admitCall(
      call: LoopCall,
      { tool, warn }: { tool: ToolDefinition | undefined; warn: (message: string) => void },
    ): Admission {
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

    /** Forgets the newest calls that were added but never ran, because their response is repeated. */
    dropCalls(dropped: readonly LoopCall[]): void {
      calls -= dropped.length;
      for (const call of dropped.toReversed()) repeatedCalls.drop(call);
    },

    recordOutcome({ call, output }: CallOutcome): void {
      repeatedCalls.record(call, output);
    },

    /** Counts the failures of a finished round. */
    recordRound(outcomes: readonly CallOutcome[]): void {
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

    /** Returns the limit if the model must not call tools in a round. */
    reachedLimit(round: number): ReachedLimit | undefined {
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

/** Number of repeats of the same call after which the model must respond without calls. */
const MAX_REPEATS = 3;

/** One call in a row of calls with the same tool and arguments. */
interface Entry {
  readonly key: string;
  readonly previous: Entry | undefined;
  /** The call before it, which may have other arguments. */
  readonly before: Entry | undefined;
  output?: ToolOutput;
  isRepeat: boolean;
}

/**
 * Finds calls that a model repeats although they return the same output. Calls are in a row if they have the same tool and
 * arguments, and no other call comes between them in the order of the model. A tool whose output changes may be called
 * again and again.
 */
function createRepeatedCalls(maxRepeatedCalls: number) {
  const entries = new Map<LoopCall, Entry>();
  const repeats = new Map<string, number>();
  let latest: Entry | undefined;
  let isStuck = false;

  return {
    /** Adds a call, in the order of the model. */
    add(call: LoopCall, tool: ToolDefinition | undefined): void {
      const parsed = parseInput(call.input, { toolName: call.toolName, schema: tool?.inputSchema });
      const key = toStableJson([call.toolName, parsed.success ? parsed.input : call.input]);
      latest = {
        key,
        previous: latest?.key === key ? latest : undefined,
        before: latest,
        isRepeat: false,
      };
      entries.set(call, latest);
    },

    /** Removes a call that never ran. */
    drop(call: LoopCall): void {
      const entry = entries.get(call);
      if (entry === undefined) return;
      entry.isRepeat = true;
      if (latest === entry) latest = entry.before;
    },

    /** Returns `wait` if it depends on running calls whether an added call is a repeat. */
    check(call: LoopCall): 'run' | 'wait' | 'repeat' {
      const entry = entries.get(call);
      const verdict = entry === undefined ? 'run' : compareOutputs(entry, maxRepeatedCalls);
      if (entry !== undefined && verdict === 'repeat') {
        entry.isRepeat = true;
        const count = (repeats.get(entry.key) ?? 0) + 1;
        repeats.set(entry.key, count);
        if (count >= MAX_REPEATS) isStuck = true;
      }
      return verdict;
    },

    /** Records the output of an added call. Outputs of repeats are ignored. */
    record(call: LoopCall, output: ToolOutput): void {
      const entry = entries.get(call);
      if (entry !== undefined) entry.output = output;
    },

    /** True if the model ignored the notices for the same call. */
    get isStuck(): boolean {
      return isStuck;
    },
  };
}

/** Compares the outputs of the calls before a call, as many as may be equal. */
function compareOutputs(entry: Entry, maxRepeatedCalls: number): 'run' | 'wait' | 'repeat' {
  const outputs: ToolOutput[] = [];
  let count = 0;
  for (
    let before = entry.previous;
    before !== undefined && count < maxRepeatedCalls;
    before = before.previous
  ) {
    if (before.isRepeat) continue;
    count++;
    if (before.output !== undefined) outputs.push(before.output);
  }
  const [first, ...others] = outputs;
  if (count < maxRepeatedCalls || outputs.some(isErrorOutput)) return 'run';
  if (first !== undefined && !others.every(output => isSame(output, first))) return 'run';
  return outputs.length < count ? 'wait' : 'repeat';
}

const isSame = (a: ToolOutput, b: ToolOutput): boolean => a === b || toStableJson(a) === toStableJson(b);

export type TurnLifetime = ReturnType<typeof createLifetime>;

/** The time in which a turn runs. */
export function createLifetime(abortSignal: AbortSignal | undefined, milliseconds: number | undefined) {
  const message = `The turn exceeded its limit of ${milliseconds} ms (timeouts.total).`;
  const limit = createTimeLimit(abortSignal, { milliseconds, message });
  const reason = `the limit of ${milliseconds} ms for the turn is reached (timeouts.total).`;
  const followed = new Map<AbortSignal, () => void>();
  let wasCancelled = false;
  return {
    /** Aborts when the turn has to end, with the reason. */
    signal: limit.signal,
    /** Returns true if the caller ended the turn. A time limit of the loop is an error instead. */
    isAborted: (): boolean => wasCancelled || abortSignal?.aborted === true,
    reachedLimit: (): ReachedLimit | undefined =>
      limit.isOver ? { limit: 'total-timeout', reason } : undefined,
    abort(reason: unknown): void {
      wasCancelled = true;
      limit.abort(reason);
    },
    /** Ends the turn with an error when one of the signals aborts. */
    endWith(signals: readonly AbortSignal[]): void {
      for (const signal of signals) {
        if (followed.has(signal)) continue;
        const end = (): void => limit.abort(signal.reason);
        followed.set(signal, onceAborted(signal, end));
      }
    },
    /** Releases timers and listeners. */
    close(): void {
      limit.release();
      for (const release of followed.values()) release();
    },
  };
}
