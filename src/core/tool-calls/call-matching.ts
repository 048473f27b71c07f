import type { AssistantMessage, Prompt, ToolCallPart, ToolMessage, ToolResultPart } from '../prompt.js';
import { createUniqueIds } from '../shared/unique-ids.js';

/** One call of a history with its result. */
export interface MatchedCall {
  /** Unique in the history. Differs from the id in the parts if two calls share one. */
  toolCallId: string;
  /** The call in the history; `undefined` if the history contains only its result. */
  readonly part: ToolCallPart | undefined;
  /**
   * The first result of the call, or the last one if the provider ran it: hosts keep its preliminary results.
   * `undefined` if there is none.
   */
  result: ToolResultPart | undefined;
  /** True if the provider ran the call, false if the host did. */
  providerExecuted: boolean;
  /** Number of user messages before the call. */
  readonly turn: number;
}

/**
 * Finds the result of every call. Returns one entry for each call and each result of the history, in the order of the
 * parts. The entry is the matched call for a call, one without a `part` for a result without a call, and `undefined` for any
 * other result, which belongs to another entry or is a duplicate.
 */
export function matchToolCalls(prompt: Prompt, isHosted: IsHostedCall): Array<MatchedCall | undefined> {
  const slots: Array<MatchedCall | undefined> = [];
  const uses = new Map<string, IdUse>();
  let turn = 0;

  for (const message of prompt) {
    if (message.role === 'user') turn++;
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (!isFunctionPart(part, message.role, isHosted)) continue;
      const use = uses.get(part.toolCallId) ?? { calls: [], completed: 0 };
      uses.set(part.toolCallId, use);
      slots.push(
        part.type === 'tool-call'
          ? addCall(use, { part, turn })
          : addResult(use, { part, turn, providerExecuted: message.role === 'assistant' }),
      );
    }
  }
  for (const use of uses.values()) claimEarlyResults(use);
  makeIdsUnique(slots, uses);
  // Drops results without a call that their own call has claimed.
  return slots.map(call => (call?.part === undefined && call?.result === undefined ? undefined : call));
}

/** Returns true if a provider-executed call or result belongs to a hosted tool. */
export type IsHostedCall = (part: { toolName: string; toolCallId: string }) => boolean;

/** Returns true for calls and results of functions, as opposed to hosted tools. */
export function isFunctionPart(
  part: ModelPart,
  role: 'assistant' | 'tool',
  isHosted: IsHostedCall,
): part is ToolCallPart | ToolResultPart {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return false;
  // Hosts write the denial of a hosted call into a tool message.
  const isByProvider =
    part.type === 'tool-call'
      ? part.providerExecuted === true
      : role === 'assistant' || part.output.type === 'execution-denied';
  return !(isByProvider && isHosted(part));
}

type ModelPart = (AssistantMessage | ToolMessage)['content'][number];

/** The calls that share an id, in order. The first `completed` of them have a result. */
interface IdUse {
  readonly calls: MatchedCall[];
  completed: number;
}

function addCall(use: IdUse, { part, turn }: { part: ToolCallPart; turn: number }): MatchedCall {
  const { toolCallId, providerExecuted = false } = part;
  const call = { toolCallId, part, result: undefined, providerExecuted, turn };
  use.calls.push(call);
  return call;
}

function addResult(
  use: IdUse,
  result: { part: ToolResultPart; turn: number; providerExecuted: boolean },
): MatchedCall | undefined {
  const { part, turn, providerExecuted } = result;
  const open = use.calls[use.completed];
  if (open !== undefined) {
    open.result = part;
    open.providerExecuted ||= providerExecuted;
    use.completed++;
    return undefined;
  }
  const last = use.calls.at(-1);
  if (providerExecuted && last?.part !== undefined && last.providerExecuted && last.turn === turn) {
    last.result = part;
    return undefined;
  }
  // In a later turn, the id belongs to a call that is missing as well: some servers start at `call_0` each time.
  if (last !== undefined && (last.part !== undefined || last.turn === turn)) return undefined;
  const orphan = { toolCallId: part.toolCallId, part: undefined, result: part, providerExecuted, turn };
  use.calls.push(orphan);
  use.completed++;
  return orphan;
}

/** Assigns results that precede their call and were treated as results without a call. */
function claimEarlyResults({ calls, completed }: IdUse): void {
  const early = calls.filter(call => call.part === undefined);
  let next = 0;
  for (const call of calls.slice(completed)) {
    const candidate = early[next++];
    if (candidate === undefined) return;
    if (candidate.turn !== call.turn || candidate.result?.toolName !== call.part?.toolName) continue;
    call.result = candidate.result;
    call.providerExecuted ||= candidate.providerExecuted;
    candidate.result = undefined;
  }
}

/** Assigns a new id to the second and later calls with the same id, and to calls with an empty id. */
function makeIdsUnique(
  slots: ReadonlyArray<MatchedCall | undefined>,
  uses: ReadonlyMap<string, IdUse>,
): void {
  const ids = createUniqueIds([], id => id === 'call' || uses.has(id));
  for (const call of slots) {
    if (call === undefined || (call.part === undefined && call.result === undefined)) continue;
    if (call.toolCallId === '' || !ids.claim(call.toolCallId)) {
      call.toolCallId = ids.take(call.toolCallId || 'call');
    }
  }
}
