import type { FinishReason } from '../../core/part.js';
import { type AbortSource, createTimeLimit, onceAborted } from '../../shared/abort.js';
import { toStableJson } from '../../shared/json.js';
import { effectiveAnnotations, type ToolDefinition, type ToolOutput } from '../../tools/tool-source.js';
import { type Admission, type CallOutcome, type LoopCall, parseInput, toValidJson } from '../calls/calls.js';
import { isErrorOutput } from '../calls/outputs.js';
import type { ReachedLimit } from '../features/feature.js';
import { isIncompleteReason } from '../calls/host-calls.js';

/**
 * The end of a round.
 *
 * - `incomplete`: the response may be truncated, so that the turn ends with its reason.
 * - `compaction`: the response contains nothing but the compacted conversation, and the round itself follows.
 * - `waiting`: the host has to run or to approve a call.
 * - `answer`: the model called no tool of the loop.
 * - `limit`: the model called a tool although it was not allowed to.
 * - `next`: the outputs of the calls are sent in another round.
 */
export type RoundEnd = 'incomplete' | 'compaction' | 'waiting' | 'answer' | 'limit' | 'next';

interface RoundFacts {
  readonly finishReason: FinishReason;
  /** True if the request allowed calls. */
  readonly mayCall: boolean;
  /** True if the response contains nothing but a requested compaction. */
  readonly isCompaction: boolean;
  /** Number of calls of the loop. */
  readonly calls: number;
  /** Number of calls that the host has to run or to approve. */
  readonly hostCalls: number;
}

/** Returns how a round ends. */
export function endOf({ finishReason, mayCall, isCompaction, calls, hostCalls }: RoundFacts): RoundEnd {
  if (isIncompleteReason(finishReason)) return 'incomplete';
  if (isCompaction) return 'compaction';
  if (hostCalls > 0) return 'waiting';
  if (calls === 0) return 'answer';
  return mayCall ? 'next' : 'limit';
}

export type TurnLimits = ReturnType<typeof createTurnLimits>;

/** Number of identical failures after which the model must respond without calls. */
const MAX_SAME_FAILURES = 3;

export interface TurnLimitOptions {
  readonly maxRounds: number;
  readonly maxToolCalls: number;
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
      if (calls > maxToolCalls) {
        const refusal: ToolOutput = {
          type: 'error-text',
          value: `Not run: ${toLimitReason(maxToolCalls, 'tool call')}`,
        };
        return () => refusal;
      }
      if (maxRepeatedCalls === Infinity || (tool !== undefined && effectiveAnnotations(tool).readOnly))
        return () => 'run';
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

    /** Counts the failures of a finished round. Equal calls of one round count once: the model had not seen the failure. */
    recordRound(outcomes: readonly CallOutcome[]): void {
      const failed = outcomes.filter(({ tool, output }) => tool !== undefined && isErrorOutput(output));
      const keys = failed.map(({ call, output }) => {
        const json = toValidJson(call.input);
        // Arguments that cannot be read differ by their text.
        return JSON.stringify([call.toolName, json === '{}' ? call.input : json, output]);
      });
      for (const key of new Set(keys))
        countFailure(key, `the same call failed ${MAX_SAME_FAILURES} times in the same way.`);
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
      if (calls >= maxToolCalls) {
        return { limit: 'max-tool-calls', reason: toLimitReason(maxToolCalls, 'tool call') };
      }
      if (failureLimit !== undefined) return failureLimit;
      if (repeatedCalls.isStuck) {
        const reason = 'the same call was repeated although its output did not change.';
        return { limit: 'repeated-calls', reason };
      }
      return undefined;
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

/** Maximum length of arguments that are compared as values. Longer ones are compared as text. */
const MAX_COMPARED = 10_000;

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
      const isLong = call.input.length > MAX_COMPARED;
      const parsed = isLong
        ? undefined
        : parseInput(call.input, { toolName: call.toolName, schema: tool?.inputSchema });
      const key = toStableJson([call.toolName, parsed?.success ? parsed.input : call.input]);
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
  const followed = new Map<AbortSource, () => void>();
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
    endWith(signals: readonly AbortSource[]): void {
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
