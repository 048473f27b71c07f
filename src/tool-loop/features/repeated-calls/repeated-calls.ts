import { toStableJson } from '../../../core/shared/json.js';
import { effectiveAnnotations, type ToolOutput } from '../../../tools/tool-source.js';
import type { AnnouncedCall } from '../../calls/calls.js';
import { isErrorOutput } from '../../calls/outputs.js';
import type { CreateFeature } from '../feature.js';

/*
 * Calls that a model repeats although they return the same output. Calls are in a row if they have the same tool and
 * arguments, and no other call comes between them in the order of the model. A tool whose output changes may be called
 * again and again.
 */

export interface RepeatedCallOptions {
  /**
   * Maximum number of calls in a row with the same tool, the same arguments and the same successful output. The next such
   * call is not run, and the model receives a notice instead of an output; after three notices the next request is sent
   * with `tool_choice: none`. Calls are in a row if the model made no other call of the loop's tools between them. Calls of
   * read-only tools do not count: they may wait for something. At least 1, or false for no limit.
   * @default 5
   */
  maxRepeatedCalls?: number | false;
}

/** Number of repeats of the same call after which the model must respond without calls. */
const MAX_REPEATS = 3;

/** Maximum length of arguments that are compared as values. Longer ones are compared as text. */
const MAX_COMPARED = 10_000;

/** One call in a row of calls with the same tool and arguments. */
interface Entry {
  readonly key: string;
  readonly call: AnnouncedCall;
  readonly previous: Entry | undefined;
  /** The call before it, which may have other arguments. */
  readonly before: Entry | undefined;
  /** True if it does not count: it is a repeat, or never ran. */
  isSkipped: boolean;
}

/** Refuses calls that a turn repeats. */
export const createRepeatedCalls: CreateFeature<RepeatedCallOptions> = (
  { warn },
  { maxRepeatedCalls: maximum = 5 },
) => {
  if (maximum === false) return undefined;
  const repeats = new Map<string, number>();
  let latest: Entry | undefined;
  let isStuck = false;

  return {
    admit(call, round) {
      const { tool, made } = call;
      if (tool !== undefined && effectiveAnnotations(tool).readOnly) return undefined;
      const key = toKey(call);
      const previous = latest?.key === key ? latest : undefined;
      const entry: Entry = { key, call, previous, before: latest, isSkipped: false };
      latest = entry;
      return {
        decide() {
          const verdict = compareOutputs(entry, maximum);
          if (verdict !== 'repeat') return verdict;
          entry.isSkipped = true;
          const count = (repeats.get(key) ?? 0) + 1;
          repeats.set(key, count);
          if (count >= MAX_REPEATS) isStuck = true;
          const times = `${maximum} ${maximum === 1 ? 'time' : 'times'} in a row`;
          warn(
            round,
            `A call of the tool "${made.toolName}" was not run: the same call returned the same output ${times}.`,
          );
          // Not an error: the tool works, and its output is in the conversation.
          return {
            type: 'text',
            value: `Not run: this call returned the same output ${times}. Use that output or change the arguments.`,
          };
        },
        drop() {
          entry.isSkipped = true;
          if (latest === entry) latest = entry.before;
        },
      };
    },
    limit: () =>
      isStuck
        ? {
            limit: 'repeated-calls',
            reason: 'the same call was repeated although its output did not change.',
          }
        : undefined,
  };
};

/** Returns the same text for calls of one tool with the same arguments. */
function toKey({ made: { toolName, input }, arguments: read }: AnnouncedCall): string {
  return toStableJson([toolName, read.success && input.length <= MAX_COMPARED ? read.input : input]);
}

/** Compares the outputs of the calls before a call, as many as may be equal. `wait`: they decide when they have ended. */
function compareOutputs(entry: Entry, maximum: number): 'run' | 'wait' | 'repeat' {
  const outputs: ToolOutput[] = [];
  let count = 0;
  for (let before = entry.previous; before !== undefined && count < maximum; before = before.previous) {
    if (before.isSkipped) continue;
    count++;
    const { output } = before.call.outcome ?? {};
    if (output !== undefined) outputs.push(output);
  }
  const [first, ...others] = outputs;
  if (count < maximum || outputs.some(isErrorOutput)) return 'run';
  if (first !== undefined && !others.every(output => isSame(output, first))) return 'run';
  return outputs.length < count ? 'wait' : 'repeat';
}

const isSame = (a: ToolOutput, b: ToolOutput): boolean => a === b || toStableJson(a) === toStableJson(b);
