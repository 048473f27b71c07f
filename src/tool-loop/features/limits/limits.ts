import { parseToolArguments } from '../../../core/tool-calls/tool-arguments.js';
import type { ToolOutput } from '../../../tools/tool-source.js';
import type { Admission, CallOutcome } from '../../calls/calls.js';
import { isErrorOutput } from '../../calls/outputs.js';
import { withoutCalls } from '../../context/history.js';
import type { CreateFeature, ReachedLimit } from '../feature.js';

/** The options of the loop that limit its turns. The settings for the loop of a host have them as well. */
export interface LimitOptions {
  readonly maxRounds?: number | false;
  readonly maxToolCalls?: number | false;
}

/** Number of identical failures after which the model must respond without calls. */
const MAX_SAME_FAILURES = 3;

/** Limits the rounds, the calls and the equal failures of a turn. */
export const createLimits: CreateFeature<LimitOptions> = (_, options) => {
  const maxRounds = (options.maxRounds ?? 20) || Infinity;
  const maxToolCalls = (options.maxToolCalls ?? false) || Infinity;
  const failures = new Map<string, number>();
  let calls = 0;
  let failureLimit: ReachedLimit | undefined;

  function admit(): Admission {
    calls++;
    const verdict = calls > maxToolCalls ? toRefusal(maxToolCalls) : 'run';
    return { decide: () => verdict, drop: () => void calls-- };
  }

  function countFailure(key: string, reason: string): void {
    const times = (failures.get(key) ?? 0) + 1;
    failures.set(key, times);
    if (times >= MAX_SAME_FAILURES) failureLimit ??= { limit: 'repeated-failures', reason };
  }

  return {
    ...(maxRounds <= 1 && {
      prepare: (request, round) => (round === 1 ? { request: withoutCalls(request) } : undefined),
    }),
    admit: maxToolCalls === Infinity ? undefined : admit,
    limit(round) {
      if (round >= maxRounds) return { limit: 'max-rounds', reason: toReason(maxRounds, 'round') };
      if (calls >= maxToolCalls)
        return { limit: 'max-tool-calls', reason: toReason(maxToolCalls, 'tool call') };
      return failureLimit;
    },
    after(round) {
      // Equal calls of one round count once: the model had not seen the failure.
      for (const key of failureKeysOf(round.outcomes))
        countFailure(key, `the same call failed ${MAX_SAME_FAILURES} times in the same way.`);
      // Names that do not exist count together, once per round: the model tries different ones.
      if (round.outcomes.some(outcome => outcome.tool === undefined))
        countFailure('unknown tool', `tools that do not exist were called in ${MAX_SAME_FAILURES} rounds.`);
      return undefined;
    },
  };
};

/** Returns a text for each failure. It is the same one for equal failures of equal calls. */
function failureKeysOf(outcomes: readonly CallOutcome[]): Set<string> {
  const keys = new Set<string>();
  for (const { call, tool, output } of outcomes) {
    if (tool === undefined || !isErrorOutput(output)) continue;
    const read = parseToolArguments(call.input);
    // Arguments that cannot be read differ by their text.
    const written = read.success && read.json !== '{}' ? read.json : call.input;
    keys.add(JSON.stringify([call.toolName, written, output]));
  }
  return keys;
}

const toRefusal = (maxToolCalls: number): ToolOutput => ({
  type: 'error-text',
  value: `Not run: ${toReason(maxToolCalls, 'tool call')}`,
});

const toReason = (limit: number, noun: string): string =>
  `the limit of ${limit} ${noun}${limit === 1 ? '' : 's'} is reached.`;
