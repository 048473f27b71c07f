import type { FileUIPart } from 'ai';
import { useEffect, useMemo, useState } from 'react';
import type { Side, StoredMessage, Thread, TurnRequest } from '../../shared/playground-state.js';
import { type Trace, toTrace } from '../../shared/trace.js';
import { callApi, callInOrder } from '../page/api.js';
import type { PageState } from '../page/page-store.js';
import { newId } from '../page/drafts.js';
import { describeFailure } from '../../shared/failure.js';

/** A message of a thread, stored or not. */
export interface ShownMessage extends Pick<
  StoredMessage,
  'message' | 'parentId' | 'versions' | 'failedVersion'
> {
  /** Undefined for messages of the user. */
  readonly trace: Trace | undefined;
  readonly isRunning: boolean;
}

export interface ThreadHook {
  readonly messages: readonly ShownMessage[];
  readonly isRunning: boolean;
  /** Reason why the last request did not reach the server or was rejected. */
  readonly problem: string | undefined;
  ask(content: MessageContent): void;
  /** Sends another version of a message of the user. */
  edit(messageId: string, content: MessageContent): void;
  /** Sends the failed request again, with the same ids. */
  sendAgain(): void;
  /** Removes a message that could not be sent. */
  discard(): void;
  /** Answers a message of the user again, by default the last. The previous response stays until the new one is complete. */
  askAgain(messageId?: string): void;
  /** Continues a response that a limit has ended. */
  proceed(): void;
  /** Shows another version of a message. */
  show(messageId: string): void;
  stop(): void;
}

/** Text and files of a message. */
export interface MessageContent {
  readonly text: string;
  readonly files: readonly FileUIPart[];
}

interface Outgoing {
  readonly request: TurnRequest;
  readonly state: 'sending' | 'accepted' | 'failed';
  readonly problem?: string;
}

/** One thread of a conversation: its messages, and functions to ask and stop. */
export function useThread(
  page: Pick<PageState, 'conversation' | 'turns'>,
  { conversationId, thread, side }: { conversationId: string; thread: Thread; side?: Side },
): ThreadHook {
  const [outgoing, setOutgoing] = useState<Outgoing>();
  const stored = page.conversation?.threads[thread];
  const live = Object.values(page.turns).find(({ place }) => place.thread === thread);
  const path = useMemo(() => (stored ?? []).map(toShown), [stored]);
  const messages = [...path];
  /** Adds a message that is not stored yet, in place of those after its parent. */
  const addNew = (
    parentId: string | null,
    shown: Pick<ShownMessage, 'message' | 'trace' | 'isRunning'>,
  ): void => {
    const end = messages.findIndex(({ message }) => message.id === parentId) + 1;
    if (end > 0 || parentId === null) messages.splice(end);
    messages.push({ ...shown, parentId, versions: [shown.message.id] });
  };
  const unsent = outgoing?.request.message;
  const isStored = unsent === undefined || path.some(({ message }) => message.id === unsent.id);
  // A stored message is no longer unsent, also when another version of it is shown.
  const isDone = isStored && outgoing?.state === 'accepted';
  useEffect(() => {
    if (isDone) setOutgoing(undefined);
  }, [isDone]);
  if (!isStored)
    addNew(outgoing?.request.parentId ?? null, { message: unsent, trace: undefined, isRunning: false });
  if (live !== undefined)
    addNew(live.place.parentId, { message: live.message, trace: live.trace, isRunning: true });
  const last = path.at(-1)?.message;

  async function send(request: TurnRequest): Promise<void> {
    setOutgoing({ request, state: 'sending' });
    try {
      await callInOrder('/turns', { method: 'POST', body: request });
      setOutgoing({ request, state: 'accepted' });
    } catch (error) {
      const problem = describeFailure(error);
      setOutgoing({ request, state: 'failed', problem });
    }
  }
  const respondTo = (parentId: string | undefined): void => {
    if (parentId === undefined) return;
    void send({ conversationId, thread, responseId: newId(), parentId, side });
  };
  const sendAfter = (parentId: string | null, { text, files }: MessageContent): void => {
    const parts = [...files, ...(text === '' ? [] : [{ type: 'text' as const, text }])];
    const message = { id: newId(), role: 'user' as const, parts };
    void send({ conversationId, thread, responseId: newId(), parentId, message, side });
  };

  return {
    messages,
    isRunning: live !== undefined || outgoing?.state === 'sending',
    problem: outgoing?.problem,
    ask: content => sendAfter(last?.id ?? null, content),
    edit(messageId, content) {
      const edited = path.find(({ message }) => message.id === messageId);
      if (edited !== undefined) sendAfter(edited.parentId, content);
    },
    sendAgain: () => outgoing !== undefined && void send(outgoing.request),
    discard: () => setOutgoing(undefined),
    askAgain: (messageId = path.findLast(({ message }) => message.role === 'user')?.message.id) =>
      respondTo(messageId),
    proceed: () => respondTo(last?.id),
    show(messageId) {
      callApi(`/conversations/${conversationId}/shown`, { method: 'PUT', body: { messageId } }).catch(
        () => {},
      );
    },
    stop() {
      if (live !== undefined)
        callApi(`/turns/${live.place.responseId}/stop`, { method: 'POST' }).catch(() => {});
    },
  };
}

const toShown = ({ message, parentId, versions, failedVersion, outline }: StoredMessage): ShownMessage => ({
  message,
  parentId,
  versions,
  failedVersion,
  trace: outline.length > 0 ? toTrace(outline) : undefined,
  isRunning: false,
});
