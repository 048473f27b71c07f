import type { ToolSource } from '../tools/tool-source.js';
import type { Outcome, OwnedCall } from './owned-call.js';
import { parseInput } from './parse-input.js';

/** Calls that are kept. A conversation refers back to few. */
const CAPACITY = 500;

/**
 * Remembers what a host's history leaves out of the loop's calls. A host that does not know a tool keeps the result
 * without the arguments, or nothing at all; the next request needs both, or the model would call again.
 */
export interface CallMemory {
  remember(call: OwnedCall): void;
  /** The arguments of a call, or undefined where they are not known (any more). */
  recall(toolCallId: string): Record<string, unknown> | undefined;
  /** Keeps calls that the host has not been shown, with the call of its own that their turn ended in. */
  hide(hostCallId: string, outcomes: readonly Outcome[]): void;
  /** What was hidden with a call of the host. */
  reveal(hostCallId: string): readonly Outcome[];
}

const memories = new WeakMap<ToolSource, CallMemory>();

/** The memory of all models that share these tools: many applications make a model anew for each turn. */
export function callMemoryOf(source: ToolSource): CallMemory {
  const memory = memories.get(source) ?? createCallMemory();
  memories.set(source, memory);
  return memory;
}

function createCallMemory(): CallMemory {
  const inputs = new Map<string, string>();
  const hidden = new Map<string, readonly Outcome[]>();
  return {
    remember: ({ toolCallId, input }) => keep(inputs, toolCallId, input),
    recall(toolCallId) {
      const input = inputs.get(toolCallId);
      const parsed = input === undefined ? undefined : parseInput(input, toolCallId);
      return parsed?.success ? parsed.input : undefined;
    },
    hide: (hostCallId, outcomes) => keep(hidden, hostCallId, outcomes),
    reveal: hostCallId => hidden.get(hostCallId) ?? [],
  };
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > CAPACITY && oldest !== undefined) map.delete(oldest);
}
