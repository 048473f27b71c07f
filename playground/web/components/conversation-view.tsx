import type { ConversationMode } from '../../shared/playground-state.js';
import { ChatConversation } from './chat-conversation.js';
import { CompareConversation } from './compare-conversation.js';
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

const connectionNotes = {
  lost: 'The server of the playground cannot be reached. The page connects again as soon as it runs.',
  refused:
    'The server of the playground was restarted and has a new token. Open the URL that it printed in the terminal.',
} as const;

/** Reports a lost connection to the server. */
export function ConnectionNote({ connection }: Pick<ConversationProps['page'], 'connection'>) {
  if (connection !== 'lost' && connection !== 'refused') return null;
  return (
    <p className="note problem" role="alert">
      {connectionNotes[connection]}
    </p>
  );
}
