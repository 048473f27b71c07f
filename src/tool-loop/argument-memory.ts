import type { ToolSource } from '../tools/tool-source.js';
import type { OwnedCall } from './owned-call.js';
import { parseInput } from './parse-input.js';

/** Calls whose arguments are kept. A conversation refers back to few. */
const CAPACITY = 500;

/**
 * Remembers the arguments of calls by id. A host that does not know a tool keeps the result of its call only; the
 * next turn needs both.
 */
export interface ArgumentMemory {
  remember(call: OwnedCall): void;
  /** The arguments of a call, or undefined where they are not known (any more). */
  recall(toolCallId: string): Record<string, unknown> | undefined;
}

const memories = new WeakMap<ToolSource, ArgumentMemory>();

/** The memory of all models that share these tools: many applications make a model anew for each turn. */
export function argumentMemoryOf(source: ToolSource): ArgumentMemory {
  const memory = memories.get(source) ?? createArgumentMemory();
  memories.set(source, memory);
  return memory;
}

function createArgumentMemory(): ArgumentMemory {
  const inputs = new Map<string, string>();
  return {
    remember({ toolCallId, input }) {
      inputs.set(toolCallId, input);
      const [oldest] = inputs.keys();
      if (inputs.size > CAPACITY && oldest !== undefined) inputs.delete(oldest);
    },
    recall(toolCallId) {
      const input = inputs.get(toolCallId);
      const parsed = input === undefined ? undefined : parseInput(input, toolCallId);
      return parsed?.success ? parsed.input : undefined;
    },
  };
}
