import type { ConversationMode } from '../../shared/playground-state.js';
import { ChatConversation } from './chat-conversation.js';
import { CompareConversation } from './compare-conversation.js';
import { ConnectionNote } from './connection-note.js';
import type { ConversationProps } from './conversation-props.js';

export interface ConversationViewProps extends ConversationProps {
  /** Mode of a conversation that the server does not have yet. */
  readonly draftMode: ConversationMode;
}

/** Shows a conversation as a chat or as a comparison. */
export function ConversationView({ draftMode, ...props }: ConversationViewProps) {
  const { connection, conversation } = props.page;
  if (conversation === undefined) {
    return (
      <main className="conversation">
        <ConnectionNote connection={connection} />
        <p className="quiet" role="status">
          Loading the conversation …
        </p>
      </main>
    );
  }
  return (conversation?.mode ?? draftMode) === 'compare' ? (
    <CompareConversation {...props} />
  ) : (
    <ChatConversation {...props} />
  );
}
