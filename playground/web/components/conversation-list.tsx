import type { ConversationMode, ConversationSummary } from '../../shared/playground-state.js';
import type { PageHook } from '../hooks/use-page.js';
import { formatAge } from '../lib/format.js';
import { Icon } from './icon.js';

export interface ConversationListProps {
  readonly page: PageHook;
  readonly current: string;
  readonly onOpen: (id: string) => void;
  readonly onNew: (mode: ConversationMode) => void;
}

export function ConversationList({ page, current, onOpen, onNew }: ConversationListProps) {
  const { conversations: list, removeConversation } = page;
  if (list === undefined) return <p className="quiet">Loading conversations …</p>;
  if (list.length === 0) return <p className="quiet">No conversations yet. Your chats are saved here.</p>;

  const discard = async ({ id }: ConversationSummary): Promise<void> => {
    await removeConversation(id);
    if (id === current) onNew('chat');
  };
  return (
    <ul className="conversation-list">
      {list.map(conversation => (
        <li key={conversation.id} data-current={conversation.id === current}>
          <button
            type="button"
            className="conversation-title"
            aria-current={conversation.id === current ? 'true' : undefined}
            onClick={() => onOpen(conversation.id)}
          >
            <span>{conversation.title}</span>
            <small>
              {conversation.mode === 'compare' && 'compared · '}
              {conversation.pendingApprovals > 0
                ? 'waits for approval · '
                : conversation.runningTurns > 0 && 'running · '}
              {formatAge(conversation.updatedAt)}
            </small>
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={`Delete “${conversation.title}”`}
            title="Delete"
            onClick={() => void discard(conversation)}
          >
            <Icon name="trash" />
          </button>
        </li>
      ))}
    </ul>
  );
}
