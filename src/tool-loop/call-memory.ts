import type {
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import type { ToolSource } from '../tools/tool-source.js';
import type { CallOutcome } from './calls.js';
import { parseInput } from './calls.js';
import { toHash } from '../shared/hash.js';
import { toResultValue } from '../tool-calls/mcp-output.js';
import { toCallPart } from './history.js';

/** How many calls, and how many sets of hidden ones, are kept. A conversation refers back to few. */
const CAPACITY = { inputs: 500, hidden: 50 };

/**
 * Remembers what a host's history leaves out of the loop's calls. A host that does not know a tool keeps the result
 * without the arguments, or nothing at all; the next request needs both, or the model would call again.
 *
 * A provider serves many conversations, and ids such as `call_0` are in all of them. So arguments are recalled for a
 * result that is the same, and hidden calls for a conversation that is the same.
 */
export interface CallMemory {
  rememberInput(outcome: CallOutcome): void;
  /** The arguments of the call that gave this result, or undefined where they are not known (any more). */
  recallInput(result: LanguageModelV2ToolResultPart): Record<string, unknown> | undefined;
  /** Keeps calls that the host has not been shown, with the conversation and the call that their turn ended in. */
  storeHidden(place: HiddenCallsKey, outcomes: readonly CallOutcome[]): Promise<void>;
  /** What was hidden there. */
  findHidden(place: HiddenCallsKey): Promise<readonly CallOutcome[]>;
  /** Whether nothing is hidden, so that nothing need be looked for. */
  readonly hidesNothing: boolean;
}

export interface HiddenCallsKey {
  /** The conversation up to the turn. */
  readonly before: LanguageModelV2Prompt;
  readonly hostCallId: string;
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
  const hidden = new Map<string, readonly CallOutcome[]>();
  return {
    rememberInput({ call: { toolCallId, toolName, input }, output }) {
      keep(
        inputs,
        { key: toResultKey(toolCallId, toolName, toResultValue(output)), value: input },
        CAPACITY.inputs,
      );
    },
    recallInput({ toolCallId, toolName, output }) {
      const input = inputs.get(toResultKey(toolCallId, toolName, output.value));
      const parsed = input === undefined ? undefined : parseInput(input, { toolName });
      return parsed?.success ? parsed.input : undefined;
    },
    async storeHidden(place, outcomes) {
      keep(hidden, { key: await toPlaceKey(place), value: outcomes }, CAPACITY.hidden);
    },
    findHidden: async place => hidden.get(await toPlaceKey(place)) ?? [],
    get hidesNothing() {
      return hidden.size === 0;
    },
  };
}

function toResultKey(toolCallId: string, toolName: string, value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return JSON.stringify([toolCallId, toolName, text.length, toHash(text)]);
}

/** A digest that nobody can hit by design: what is hidden in one conversation is not for another. */
async function toPlaceKey({ before, hostCallId }: HiddenCallsKey): Promise<string> {
  const text = JSON.stringify([hostCallId, before.map(({ role, content }) => [role, content])]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return String.fromCharCode(...new Uint8Array(digest));
}

function keep<Value>(
  map: Map<string, Value>,
  { key, value }: { key: string; value: Value },
  capacity: number,
): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > capacity && oldest !== undefined) map.delete(oldest);
}

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];

/**
 * The history with the calls that the host was not shown, each set before the host's own call that ended their turn.
 * Otherwise the model, asked again with the host's result, would not know that they have been made.
 */
export async function withHiddenCalls(
  prompt: LanguageModelV2Prompt,
  memory: Pick<CallMemory, 'findHidden' | 'hidesNothing'>,
): Promise<LanguageModelV2Prompt> {
  if (memory.hidesNothing) return prompt;
  const known = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue;
    for (const part of content) {
      if (part.type === 'tool-call' || part.type === 'tool-result') known.add(part.toolCallId);
    }
  }

  const history: LanguageModelV2Prompt = [];
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant') {
      history.push(message);
      continue;
    }
    const content: AssistantPart[] = [];
    for (const part of message.content) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) {
        const place = { before: prompt.slice(0, index), hostCallId: part.toolCallId };
        for (const outcome of await memory.findHidden(place)) content.push(...toParts(outcome));
      }
      content.push(part);
    }
    history.push(content.length === message.content.length ? message : { ...message, content });
  }
  return history;

  function toParts({ call, output }: CallOutcome): AssistantPart[] {
    const { toolCallId, toolName } = call;
    // It is in the history, or was told with another call of the host.
    if (known.has(toolCallId)) return [];
    known.add(toolCallId);
    return [
      toCallPart({ ...call, providerExecuted: true }),
      { type: 'tool-result', toolCallId, toolName, output },
    ];
  }
}
