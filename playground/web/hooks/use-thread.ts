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
  /** Reason for a failed request to the server. Failures within a turn are part of its trace. */
  readonly problem: string | undefined;
  ask(text: string): void;
  regenerate(): void;
  stop(): void;
}

/** Milliseconds until the page disconnects from a turn that the server did not stop. */
const STOP_TIMEOUT = 4000;

/** One thread of a conversation: its messages, and functions to ask and stop. */
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
            // The server stores the rest of the conversation.
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
    regenerate: () => void chat.regenerate(),
    stop() {
      // The server stops the turn and reports its end. If it fails to, the page disconnects.
      clearTimeout(stopTimer.current);
      stopTimer.current = setTimeout(() => void chat.stop(), STOP_TIMEOUT);
      callApi('/chat/stop', { method: 'POST', body: { conversationId, thread } }).catch(() => chat.stop());
    },
  };
}
