import { useEffect, useState } from 'react';
import type {
  ConversationMode,
  FoundConversation,
  ListedConversation,
} from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { callApi } from '../page/api.js';
import { ConnectionNote } from '../page/connection-note.js';
import { formatAge } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { Empty, Loading, LoadingFailed } from '../ui/list-state.js';
import { Marked } from '../ui/marked.js';
import { describeFailure } from '../../shared/failure.js';

export interface ConversationListProps {
  readonly page: PageHook;
  readonly current: string;
  readonly onOpen: (id: string) => void;
  readonly onNew: (mode: ConversationMode) => void;
}

export function ConversationList({ page, current, onOpen, onNew }: ConversationListProps) {
  const { conversations: list } = page;
  const [query, setQuery] = useState('');
  const { found, problem, retry } = useSearch(query, list);
  if (list === undefined) {
    return page.connection === 'lost' ? (
      <ConnectionNote connection="lost" />
    ) : (
      <Loading what="conversations" />
    );
  }
  if (list.length === 0) {
    return (
      <Empty
        action={
          <button type="button" className="button" onClick={() => onNew('chat')}>
            Start a chat
          </button>
        }
      >
        No conversations yet. A chat is saved here with its first message.
      </Empty>
    );
  }

  const byId = new Map(list.map(conversation => [conversation.id, conversation]));
  const shown =
    found === undefined
      ? list.map(conversation => ({ conversation, excerpt: undefined }))
      : found.flatMap(({ id, excerpt }) => {
          const conversation = byId.get(id);
          return conversation === undefined ? [] : [{ conversation, excerpt }];
        });
  return (
    <>
      <input
        className="input"
        type="search"
        aria-label="Search conversations"
        placeholder="Search titles and messages"
        value={query}
        onChange={event => setQuery(event.target.value)}
      />
      {problem !== undefined && (
        <LoadingFailed onRetry={retry}>The conversations were not searched: {problem}</LoadingFailed>
      )}
      {shown.length === 0 && (
        <p className="quiet" role="status">
          No conversation contains “{query.trim()}”.
        </p>
      )}
      <ul className="conversation-list">
        {shown.map(({ conversation, excerpt }) => (
          <ConversationRow
            key={conversation.id}
            conversation={conversation}
            excerpt={excerpt}
            query={found === undefined ? '' : query.trim()}
            isCurrent={conversation.id === current}
            onOpen={() => onOpen(conversation.id)}
            onRename={title => void page.renameConversation(conversation.id, title)}
            onRemove={() => {
              void page.removeConversation(conversation);
              if (conversation.id === current) onNew('chat');
            }}
          />
        ))}
      </ul>
    </>
  );
}

/** Milliseconds without a key press until a search starts. */
const TYPING_PAUSE = 150;

interface Search {
  readonly found?: readonly FoundConversation[];
  readonly problem?: string;
}

/** Searches on the server, again when the list changes. Undefined without a query and until its first result. */
function useSearch(query: string, list: PageHook['conversations']) {
  const text = query.trim();
  const [result, setResult] = useState<Search>({});
  const [attempt, setAttempt] = useState(1);
  useEffect(() => {
    if (text === '') return setResult({});
    const controller = new AbortController();
    const timer = setTimeout(() => {
      callApi<readonly FoundConversation[]>(`/conversations/search?text=${encodeURIComponent(text)}`, {
        signal: controller.signal,
      }).then(
        found => setResult({ found }),
        (error: unknown) => {
          if (!controller.signal.aborted) setResult({ problem: describeFailure(error) });
        },
      );
    }, TYPING_PAUSE);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, list, attempt]);
  return { ...(text !== '' && result), retry: () => setAttempt(attempt + 1) };
}

interface ConversationRowProps {
  readonly conversation: ListedConversation;
  readonly excerpt: string | undefined;
  readonly query: string;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
  readonly onRename: (title: string) => void;
  readonly onRemove: () => void;
}

function ConversationRow({
  conversation,
  excerpt,
  query,
  isCurrent,
  onOpen,
  onRename,
  onRemove,
}: ConversationRowProps) {
  const { title, mode, pendingApprovals, pendingRequests, runningTurns, updatedAt } = conversation;
  const [isRenamed, setRenamed] = useState(false);
  if (isRenamed) {
    return (
      <li data-current={isCurrent}>
        <TitleField
          title={title}
          onClose={changed => {
            setRenamed(false);
            if (changed !== undefined) onRename(changed);
          }}
        />
      </li>
    );
  }
  return (
    <li data-current={isCurrent}>
      <button
        type="button"
        className="conversation-title"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
      >
        <span>
          <Marked text={title} query={query} />
        </span>
        {excerpt !== undefined && (
          <small className="excerpt">
            <Marked text={excerpt} query={query} />
          </small>
        )}
        <small>
          {mode === 'compare' && 'compared · '}
          {pendingApprovals > 0
            ? 'waits for approval · '
            : pendingRequests > 0
              ? 'waits for you · '
              : runningTurns > 0 && 'running · '}
          {formatAge(updatedAt)}
        </small>
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Rename “${title}”`}
        title="Rename"
        onClick={() => setRenamed(true)}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete “${title}”`}
        title="Delete"
        onClick={onRemove}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}

/** Enter and leaving the field save the title, Escape does not. */
function TitleField({ title, onClose }: { title: string; onClose: (changed?: string) => void }) {
  const [text, setText] = useState(title);
  const save = (): void => {
    const changed = text.trim();
    onClose(changed === '' || changed === title ? undefined : changed);
  };
  return (
    <input
      className="input"
      aria-label="Title of the conversation"
      autoFocus
      maxLength={200}
      value={text}
      onFocus={event => event.target.select()}
      onChange={event => setText(event.target.value)}
      onBlur={save}
      onKeyDown={event => {
        if (event.key === 'Enter') save();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    />
  );
}
