import { toStableJson } from '../shared/json.js';
import type { ToolDefinition, ToolOutput } from '../tools/tool-source.js';
import { isErrorOutput, type LoopCall, parseInput } from './calls.js';

/**
 * Finds calls that a model repeats although they return the same output. Calls are in a row if they have the same tool and
 * arguments, and no other call comes between them in the order of the model. A tool whose output changes may be called
 * again and again.
 */
export interface RepeatedCalls {
  /** Adds a call, in the order of the model. */
  add(call: LoopCall, tool: ToolDefinition | undefined): void;
  /** Returns `wait` if it depends on running calls whether an added call is a repeat. */
  check(call: LoopCall): 'run' | 'wait' | 'repeat';
  /** Records the output of an added call. Outputs of repeats are ignored. */
  record(call: LoopCall, output: ToolOutput): void;
  /** True if the model ignored the notices for the same call. */
  readonly isStuck: boolean;
}

/** Number of repeats of the same call after which the model must respond without calls. */
const MAX_REPEATS = 3;

/** One call in a row of calls with the same tool and arguments. */
interface Entry {
  readonly key: string;
  readonly previous: Entry | undefined;
  output?: ToolOutput;
  isRepeat: boolean;
}

export function createRepeatedCalls({ maxRepeatedCalls }: { maxRepeatedCalls: number }): RepeatedCalls {
  const entries = new WeakMap<LoopCall, Entry>();
  const repeats = new Map<string, number>();
  let latest: Entry | undefined;
  let isStuck = false;

  return {
    add(call, tool) {
      const key = toKey(call, tool);
      latest = { key, previous: latest?.key === key ? latest : undefined, isRepeat: false };
      entries.set(call, latest);
    },

    check(call) {
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

    record(call, output) {
      const entry = entries.get(call);
      if (entry !== undefined) entry.output = output;
    },

    get isStuck() {
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

function toKey({ toolName, input }: LoopCall, tool: ToolDefinition | undefined): string {
  const parsed = parseInput(input, { toolName, schema: tool?.inputSchema });
  return toStableJson([toolName, parsed.success ? parsed.input : input]);
}
