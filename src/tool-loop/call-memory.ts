import type {
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import { toHash } from '../shared/hash.js';
import { toResultValue } from '../tool-calls/mcp-output.js';
import type { ToolSource } from '../tools/tool-source.js';
import { type CallOutcome, parseInput } from './calls.js';
import { toCallPart } from './history.js';

/** Maximum numbers of remembered inputs and of turns with hidden calls. A conversation refers to few of them. */
const CAPACITY = { inputs: 500, hidden: 50 };

/**
 * Stores the data of the loop's calls that a host's history omits. A host that does not know a tool keeps its result without
 * the arguments, or nothing at all. The next request needs both, or the model would repeat the call.
 *
 * A provider serves many conversations, and ids such as `call_0` occur in all of them. So arguments are found by the
 * complete result, and hidden calls by the complete conversation.
 */
export interface CallMemory {
  rememberInput(outcome: CallOutcome): void;
  /** Returns the arguments of the call that produced this result, or undefined if they are not (or no longer) known. */
  recallInput(result: LanguageModelV2ToolResultPart): Record<string, unknown> | undefined;
  /** Stores calls that the host did not see. */
  storeHidden(key: HiddenCallsKey, outcomes: readonly CallOutcome[]): Promise<void>;
  findHidden(key: HiddenCallsKey): Promise<readonly CallOutcome[]>;
  /** True while no hidden calls are stored, so that histories need not be searched. */
  readonly hasNoHidden: boolean;
}

/** Identifies a turn with hidden calls by the call of the host that ended it. */
export interface HiddenCallsKey {
  /** The conversation before the turn. */
  readonly before: LanguageModelV2Prompt;
  readonly hostCallId: string;
}

const memories = new WeakMap<ToolSource, CallMemory>();

/** Returns the memory that all models with these tools share: many applications create a model for each turn. */
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
      const key = toResultKey(toolCallId, toolName, toResultValue(output));
      setBounded(inputs, { key, value: input, capacity: CAPACITY.inputs });
    },
    recallInput({ toolCallId, toolName, output }) {
      const input = inputs.get(toResultKey(toolCallId, toolName, output.value));
      const parsed = input === undefined ? undefined : parseInput(input, { toolName });
      return parsed?.success ? parsed.input : undefined;
    },
    async storeHidden(key, outcomes) {
      setBounded(hidden, { key: await toDigest(key), value: outcomes, capacity: CAPACITY.hidden });
    },
    findHidden: async key => hidden.get(await toDigest(key)) ?? [],
    get hasNoHidden() {
      return hidden.size === 0;
    },
  };
}

function toResultKey(toolCallId: string, toolName: string, value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return JSON.stringify([toolCallId, toolName, text.length, toHash(text)]);
}

/** Cryptographic digest, so that no conversation can be constructed that reveals the calls of another one. */
async function toDigest({ before, hostCallId }: HiddenCallsKey): Promise<string> {
  const text = JSON.stringify([hostCallId, before.map(({ role, content }) => [role, content])]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return String.fromCharCode(...new Uint8Array(digest));
}

/** Sets a value and removes the oldest one if the map is full. */
function setBounded<Value>(
  map: Map<string, Value>,
  { key, value, capacity }: { key: string; value: Value; capacity: number },
): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > capacity && oldest !== undefined) map.delete(oldest);
}

/** Collects the calls of one turn that the host does not see. */
export interface HiddenCalls {
  add(outcomes: readonly CallOutcome[]): void;
  /** Stores the collected calls under the host's calls that end the turn. */
  store(hostCallIds: readonly string[]): Promise<void>;
}

export function createHiddenCalls(
  memory: Pick<CallMemory, 'storeHidden'>,
  { prompt, isHidden }: { prompt: LanguageModelV2Prompt; isHidden: (toolName: string) => boolean },
): HiddenCalls {
  const hidden: CallOutcome[] = [];
  return {
    add(outcomes) {
      hidden.push(...outcomes.filter(({ call }) => isHidden(call.toolName)));
    },
    async store(hostCallIds) {
      if (hidden.length === 0) return;
      for (const hostCallId of hostCallIds) await memory.storeHidden({ before: prompt, hostCallId }, hidden);
    },
  };
}

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];

/**
 * Returns the history with the calls that the host did not see, each before the host's call that ended its turn.
 * Without them the model would not know that they were made.
 */
export async function withHiddenCalls(
  prompt: LanguageModelV2Prompt,
  memory: Pick<CallMemory, 'findHidden' | 'hasNoHidden'>,
): Promise<LanguageModelV2Prompt> {
  if (memory.hasNoHidden) return prompt;
  const known = callIdsOf(prompt);
  const history: LanguageModelV2Prompt = [];
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant') {
      history.push(message);
      continue;
    }
    const content: AssistantPart[] = [];
    for (const part of message.content) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) {
        const key = { before: prompt.slice(0, index), hostCallId: part.toolCallId };
        for (const outcome of await memory.findHidden(key)) content.push(...toParts(outcome));
      }
      content.push(part);
    }
    history.push(content.length === message.content.length ? message : { ...message, content });
  }
  return history;

  function toParts({ call, output }: CallOutcome): AssistantPart[] {
    const { toolCallId, toolName } = call;
    // The call is already in the history, or was restored with another call of the host.
    if (known.has(toolCallId)) return [];
    known.add(toolCallId);
    return [
      toCallPart({ ...call, providerExecuted: true }),
      { type: 'tool-result', toolCallId, toolName, output },
    ];
  }
}

function callIdsOf(prompt: LanguageModelV2Prompt): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue;
    for (const part of content) {
      if (part.type === 'tool-call' || part.type === 'tool-result') ids.add(part.toolCallId);
    }
  }
  return ids;
}
