import { createUniqueIds, type UniqueIds } from '../../shared/unique-ids.js';

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
