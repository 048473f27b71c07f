import type { ToolCall } from '../../core/part.js';
import {
  asJson,
  idOf,
  isPlainObject,
  type JSONObject,
  objectOf,
  type PlainObject,
} from '../../shared/json.js';
import { createUniqueIds, type UniqueIds } from '../../shared/unique-ids.js';

/* What the calls of functions and of hosted tools have in common: their ids and their metadata. */

/** The ids of the tool calls in one response. */
export interface CallIds extends UniqueIds {
  /**
   * Records that a call is complete. Returns true if a call with the same id and contents was complete before: the
   * server announced it twice.
   */
  isRepetition(id: string, contents: string): boolean;
  /** Records a call whose result is another item. `serverId` is the id that the server gives in both items, if any. */
  awaitResult(call: AwaitedCall): void;
  /** Returns the id of the call that a result belongs to: the one with the same server id, or the oldest without a result. */
  takeAwaited(result: Omit<AwaitedCall, 'toolCallId'>): string | undefined;
}

interface AwaitedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly serverId: string | undefined;
}

export function createCallIds(): CallIds {
  const complete = new Set<string>();
  const awaited: AwaitedCall[] = [];
  return {
    ...createUniqueIds(),
    isRepetition(id, contents) {
      const key = JSON.stringify([id, contents]);
      if (complete.has(key)) return true;
      complete.add(key);
      return false;
    },
    awaitResult: call => void awaited.push(call),
    takeAwaited({ toolName, serverId }) {
      const at = awaited.findIndex(call => call.toolName === toolName && call.serverId === serverId);
      return at < 0 ? undefined : awaited.splice(at, 1)[0]?.toolCallId;
    },
  };
}

/** Returns the fields of a call that the next request repeats, as the official provider for `ai@7` names them. */
export function toCallMetadata({ id, async, namespace, caller }: PlainObject): JSONObject {
  const itemId = idOf(id);
  const ownNamespace = idOf(namespace);
  const callerId = objectOf(caller)?.caller_id;
  return {
    ...(itemId !== undefined && { itemId }),
    ...(typeof async === 'boolean' && { async }),
    ...(ownNamespace !== undefined && { namespace: ownNamespace }),
    ...(isPlainObject(caller) && {
      caller: callerId === undefined ? asJson(caller) : { type: 'program', callerId: asJson(callerId) },
    }),
  };
}

/** Returns the metadata of a call, of the namespace `openai`, and the agent that made it. */
export const toCallFacts = (
  openai: JSONObject,
  agent?: JSONObject,
): Pick<ToolCall, 'providerMetadata' | 'own'> => ({
  ...(Object.keys(openai).length > 0 && { providerMetadata: { openai } }),
  ...(agent !== undefined && { own: { agent } }),
});
