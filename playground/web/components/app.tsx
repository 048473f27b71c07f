import { useCallback, useState } from 'react';
import type { ConversationMode } from '../../shared/playground-state.js';
import { useConversations } from '../hooks/use-conversations.js';
import { usePlaygroundState } from '../hooks/use-playground-state.js';
import { newId, useRoute } from '../hooks/use-route.js';
import { useTraces } from '../hooks/use-traces.js';
import { ConversationView } from './conversation-view.js';
import { Inspector } from './inspector.js';
import { SidePanel } from './side-panel.js';

/** The page: side panel, conversation and inspector. A phone shows one of them at a time. */
export function App() {
  const { conversationId, go } = useRoute();
  const playground = usePlaygroundState();
  const conversations = useConversations();
  const { traces, add, load } = useTraces();
  const [page, setPage] = useState<PageName>('chat');
  const [selected, setSelected] = useState<string>();
  /** Mode and initial text of a new conversation. */
  const [draft, setDraft] = useState<{ mode: ConversationMode; text: string }>({ mode: 'chat', text: '' });

  const open = useCallback(
    (id: string): void => {
      setSelected(undefined);
      setPage('chat');
      go(id);
    },
    [go],
  );
  const startNew = useCallback(
    (mode: ConversationMode, text = ''): void => {
      setDraft({ mode, text });
      open(newId());
    },
    [open],
  );

  return (
    <div className="app" data-page={page}>
      <SidePanel
        playground={playground}
        conversations={conversations}
        conversationId={conversationId}
        onOpen={open}
        onNew={startNew}
      />
      <ConversationView
        key={conversationId}
        conversationId={conversationId}
        draft={draft}
        playground={playground}
        traces={traces}
        onTrace={add}
        onLoad={load}
        onChanged={conversations.refresh}
        onNew={startNew}
        selected={selected}
        onSelect={setSelected}
        onInspect={messageId => {
          setSelected(messageId);
          setPage('inspect');
        }}
      />
      <Inspector live={selected === undefined ? undefined : traces[selected]} />
      <PageTabs page={page} onChange={setPage} />
    </div>
  );
}

export type PageName = 'chat' | 'inspect' | 'setup';

const pages: readonly (readonly [PageName, string])[] = [
  ['setup', 'Setup'],
  ['chat', 'Chat'],
  ['inspect', 'Inspect'],
];

/** Switches between the parts of the page on narrow screens. */
function PageTabs({ page, onChange }: { page: PageName; onChange: (page: PageName) => void }) {
  return (
    <nav className="page-tabs" aria-label="Parts of the page">
      {pages.map(([name, title]) => (
        <button
          key={name}
          type="button"
          aria-current={page === name ? 'page' : undefined}
          onClick={() => onChange(name)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
