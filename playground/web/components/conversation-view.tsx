import { useEffect, useState } from 'react';
import type { Conversation } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';
import { ChatConversation } from './chat-conversation.js';
import { CompareConversation } from './compare-conversation.js';
import type { ConversationProps, ConversationViewProps } from './conversation-props.js';

/** Loads a conversation and renders it as a chat or as a comparison. */
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
          {problem ?? 'Loading the conversation …'}
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
