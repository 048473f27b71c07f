import { useRef } from 'react';
import type { ConversationMode } from '../shared/playground-state.js';
import { ChatConversation } from './chat/chat-conversation.js';
import type { ConversationProps } from './chat/conversation-props.js';
import { CompareConversation } from './compare/compare-conversation.js';
import { type AppWriter, AppWriterContext } from './mcp/app-writer.js';
import { ConnectionNote } from './page/connection-note.js';
import { Missing } from './page/missing.js';

export interface ConversationViewProps extends ConversationProps {
  /** Mode of a conversation that the server does not have yet. */
  readonly draftMode: ConversationMode;
}

/** Shows a conversation as a chat or as a comparison. */
export function ConversationView({ draftMode, ...props }: ConversationViewProps) {
  const { connection, conversation, isMissing } = props.page;
  const writer = useRef<AppWriter>(null);
  if (conversation === undefined) {
    return (
      <section className="conversation" aria-label="Conversation">
        <ConnectionNote connection={connection} />
        <p className="quiet" role="status">
          Loading the conversation …
        </p>
      </section>
    );
  }
  if (isMissing) {
    return (
      <section className="conversation" aria-label="Conversation">
        <Missing title="There is no such chat" path="/chats" link="Start a new chat">
          No chat has the id {props.conversationId}. It may have been deleted.
        </Missing>
      </section>
    );
  }
  const Conversation =
    (conversation?.mode ?? draftMode) === 'compare' ? CompareConversation : ChatConversation;
  return (
    <AppWriterContext value={writer}>
      <Conversation {...props} />
    </AppWriterContext>
  );
}
