import type { ConversationProps } from './conversation-props.js';

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
