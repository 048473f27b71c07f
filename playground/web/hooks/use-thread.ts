import { useMemo, useState } from 'react';
import type { StoredMessage, Thread, TurnRequest } from '../../shared/playground-state.js';
import { type Trace, toTrace } from '../../shared/trace.js';
import { callApi } from '../lib/api.js';
import type { PageState } from '../lib/page-store.js';
import { newId } from './use-route.js';

/** A message of a thread, stored or not. */
export interface ShownMessage extends Pick<StoredMessage, 'message' | 'versions' | 'failedVersion'> {
  /** Undefined for messages of the user. */
  readonly trace: Trace | undefined;
  readonly isRunning: boolean;
}

export interface ThreadHook {
  readonly messages: readonly ShownMessage[];
  readonly isRunning: boolean;
  /** Reason why the last request did not reach the server or was rejected. */
  readonly problem: string | undefined;
  ask(text: string): void;
  /** Sends the failed request again, with the same ids. */
  sendAgain(): void;
  /** Removes a message that could not be sent. */
  discard(): void;
  /** Answers the last question again. The previous response stays until the new one is complete. */
  askAgain(): void;
  /** Continues a response that a limit has ended. */
  proceed(): void;
  /** Shows another version of a message. */
  show(messageId: string): void;
  stop(): void;
}

interface Outgoing {
  readonly request: TurnRequest;
  readonly state: 'sending' | 'accepted' | 'failed';
  readonly problem?: string;
}

/** One thread of a conversation: its messages, and functions to ask and stop. */
export function useThread(
  page: Pick<PageState, 'conversation' | 'turns'>,
  { conversationId, thread }: { conversationId: string; thread: Thread },
): ThreadHook {
  const [outgoing, setOutgoing] = useState<Outgoing>();
  const stored = page.conversation?.threads[thread];
  const live = Object.values(page.turns).find(({ place }) => place.thread === thread);
  const path = useMemo(() => (stored ?? []).map(toShown), [stored]);
  const messages = [...path];
  if (live !== undefined) {
    const end = path.findIndex(({ message }) => message.id === live.place.parentId) + 1;
    if (end > 0) messages.splice(end);
  }
  const unsent = outgoing?.request.message;
  if (unsent !== undefined && !path.some(({ message }) => message.id === unsent.id)) {
    messages.push({ message: unsent, versions: [unsent.id], trace: undefined, isRunning: false });
  }
  if (live !== undefined) {
    const { message, trace } = live;
    messages.push({ message, trace, versions: [message.id], isRunning: true });
  }
  const last = path.at(-1)?.message;

  async function send(request: TurnRequest): Promise<void> {
    setOutgoing({ request, state: 'sending' });
    try {
      await callApi('/turns', { method: 'POST', body: request });
      setOutgoing({ request, state: 'accepted' });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      setOutgoing({ request, state: 'failed', problem });
    }
  }
  const respondTo = (parentId: string | undefined): void => {
    if (parentId === undefined) return;
    void send({ conversationId, thread, responseId: newId(), parentId });
  };

  return {
    messages,
    isRunning: live !== undefined || outgoing?.state === 'sending',
    problem: outgoing?.problem,
    ask(text) {
      const message = { id: newId(), role: 'user' as const, parts: [{ type: 'text' as const, text }] };
      void send({ conversationId, thread, responseId: newId(), parentId: last?.id ?? null, message });
    },
    sendAgain: () => outgoing !== undefined && void send(outgoing.request),
    discard: () => setOutgoing(undefined),
    askAgain: () => respondTo(path.findLast(({ message }) => message.role === 'user')?.message.id),
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

const toShown = ({ message, versions, failedVersion, outline }: StoredMessage): ShownMessage => ({
  message,
  versions,
  failedVersion,
  trace: outline.length > 0 ? toTrace(outline) : undefined,
  isRunning: false,
});
