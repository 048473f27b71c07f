import type { ConversationProps } from '../chat/conversation-props.js';

/** Reports a lost connection to the server. */
export function ConnectionNote({ connection }: Pick<ConversationProps['page'], 'connection'>) {
  if (connection !== 'lost') return null;
  return (
    <p className="note problem" role="alert">
      The server of the playground cannot be reached. The page connects again as soon as it runs.
    </p>
  );
}
