import { useEffect, useState } from 'react';
import type {
  Conversation,
  ConversationMode,
  StoredMessage,
  TraceBatch,
} from '../../shared/playground-state.js';
import type { PlaygroundStateHook } from '../hooks/use-playground-state.js';
import type { Traces } from '../hooks/use-traces.js';
import { callApi } from '../lib/api.js';
import { ChatConversation } from './chat-conversation.js';
import { CompareConversation } from './compare-conversation.js';

export interface ConversationViewProps {
  readonly conversationId: string;
  /** What the conversation is if the server does not know it yet. */
  readonly draft: { readonly mode: ConversationMode; readonly text: string };
  readonly playground: PlaygroundStateHook;
  readonly traces: Traces;
  readonly onTrace: (batch: TraceBatch) => void;
  readonly onLoad: (messages: readonly StoredMessage[]) => void;
  readonly onChanged: () => Promise<void>;
  readonly onNew: (mode: ConversationMode, text?: string) => void;
  readonly selected: string | undefined;
  readonly onSelect: (messageId: string | undefined) => void;
  readonly onInspect: (messageId: string) => void;
}

/** A conversation with the props that its two forms share. */
export interface ConversationProps extends Omit<ConversationViewProps, 'draft' | 'onLoad' | 'onChanged'> {
  readonly conversation: Conversation;
  readonly draftText: string;
  readonly onFinish: () => void;
}

/** Reads the conversation and shows it as what it is: a chat, or two answers side by side. */
export function ConversationView({ draft, onLoad, onChanged, ...props }: ConversationViewProps) {
  const { conversationId, onSelect, onTrace } = props;
  const [conversation, setConversation] = useState<Conversation>();
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    const controller = new AbortController();
    const empty: Conversation = {
      id: conversationId,
      title: '',
      mode: draft.mode,
      updatedAt: '',
      threads: {},
    };
    callApi<Conversation | null>(`/conversations/${conversationId}`, { signal: controller.signal })
      .then(known => {
        const read = known ?? empty;
        const messages = Object.values(read.threads).flat();
        onLoad(messages);
        const shown = read.threads.main ?? read.threads.kelivo;
        onSelect(shown?.findLast(({ message }) => message.role === 'assistant')?.message.id);
        setConversation(read);
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      });
    return () => controller.abort();
  }, [conversationId, draft.mode, onLoad, onSelect]);

  if (conversation === undefined) {
    return (
      <main className="conversation">
        <p className={problem === undefined ? 'quiet' : 'quiet problem'} role="status">
          {problem ?? 'Reading the conversation …'}
        </p>
      </main>
    );
  }
  const shared: ConversationProps = {
    ...props,
    conversation,
    draftText: draft.text,
    onTrace: batch => {
      onTrace(batch);
      const begins = batch.events.some(({ type }) => type === 'turn-start');
      if (!begins) return;
      const isOfficial = batch.events.some(event => event.type === 'turn-start' && event.flag === 'official');
      if (conversation.mode === 'chat' || !isOfficial) onSelect(batch.messageId);
      void onChanged();
    },
    onFinish: () => void onChanged(),
  };
  return conversation.mode === 'compare' ? (
    <CompareConversation {...shared} />
  ) : (
    <ChatConversation {...shared} />
  );
}
