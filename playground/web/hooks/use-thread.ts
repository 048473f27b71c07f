import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { useEffect, useMemo, useRef } from 'react';
import type { PlaygroundMessage, Thread, TraceBatch } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

export interface ThreadOptions {
  readonly conversationId: string;
  readonly thread: Thread;
  readonly initialMessages: readonly PlaygroundMessage[];
  readonly onTrace: (batch: TraceBatch) => void;
  readonly onFinish: () => void;
}

export interface ThreadHook {
  readonly messages: readonly PlaygroundMessage[];
  readonly isRunning: boolean;
  /** Why the server could not be asked at all. What fails in a turn is told by its trace. */
  readonly problem: string | undefined;
  ask(text: string): void;
  askAgain(): void;
  stop(): void;
}

/** Milliseconds until an answer that does not end when it is told to is left to itself. */
const STOP_LIMIT = 4000;

/** One thread of a conversation: its messages, and the ways to ask and to stop. */
export function useThread({
  conversationId,
  thread,
  initialMessages,
  onTrace,
  onFinish,
}: ThreadOptions): ThreadHook {
  const transport = useMemo(
    () =>
      new DefaultChatTransport<PlaygroundMessage>({
        api: '/api/chat',
        prepareSendMessagesRequest: ({ messages, trigger }) => ({
          body: {
            conversationId,
            thread,
            // The server knows the rest of the conversation.
            ...(trigger === 'submit-message' && { message: messages.at(-1) }),
          },
        }),
      }),
    [conversationId, thread],
  );
  const chat = useChat<PlaygroundMessage>({
    id: `${conversationId} ${thread}`,
    messages: [...initialMessages],
    transport,
    onData: part => onTrace(part.data),
    onFinish,
    experimental_throttle: 50,
  });

  const isRunning = chat.status === 'submitted' || chat.status === 'streaming';
  const stopTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (!isRunning) clearTimeout(stopTimer.current);
    return () => clearTimeout(stopTimer.current);
  }, [isRunning]);

  return {
    messages: chat.messages,
    isRunning,
    problem: chat.error?.message,
    ask: text => void chat.sendMessage({ text }),
    askAgain: () => void chat.regenerate(),
    stop() {
      // The server stops the turn and tells how it ended; only if it does not, the page turns away.
      clearTimeout(stopTimer.current);
      stopTimer.current = setTimeout(() => void chat.stop(), STOP_LIMIT);
      callApi('/chat/stop', { method: 'POST', body: { conversationId, thread } }).catch(() => chat.stop());
    },
  };
}
