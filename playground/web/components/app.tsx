import { useCallback, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ConversationMode } from '../../shared/playground-state.js';
import { toTrace } from '../../shared/trace.js';
import { useFullTrace } from '../hooks/use-full-trace.js';
import { type PageHook, usePage } from '../hooks/use-page.js';
import { newId, useRoute } from '../hooks/use-route.js';
import { revealCall } from '../lib/reveal-call.js';
import { ConversationView } from './conversation-view.js';
import { Inspector } from './inspector.js';
import { ServerRequest } from './server-request.js';
import { SignIn } from './sign-in.js';
import { SidePanel } from './side-panel.js';

/** The page: side panel, conversation and inspector. A phone shows one of them at a time. */
export function App() {
  const { conversationId, go } = useRoute();
  const page = usePage(conversationId);
  const [shownPart, setShownPart] = useState<PageName>('chat');
  const [selected, setSelected] = useState<string>();
  /** Mode and initial text of a new conversation. */
  const [draft, setDraft] = useState<{ mode: ConversationMode; text: string }>({ mode: 'chat', text: '' });

  const open = useCallback(
    (id: string, messageId?: string): void => {
      setSelected(messageId);
      setShownPart(messageId === undefined ? 'chat' : 'inspect');
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

  const inspect = useCallback((messageId: string): void => {
    setSelected(messageId);
    setShownPart('inspect');
  }, []);
  const showCall = (toolCallId: string): void => {
    // A hidden part cannot get the focus.
    flushSync(() => setShownPart('chat'));
    revealCall(toolCallId);
  };
  const request = page.servers?.requests[0];
  const inspected = findInspected(page, selected);
  const live = useFullTrace(conversationId, inspected, page.turns);
  const otlpPath =
    inspected === undefined || live?.trace.end === undefined
      ? undefined
      : `/traces/${conversationId}/${inspected.message.id}/otlp`;

  const isSignedOut = page.connection === 'refused';
  if (isSignedOut && page.state === undefined) {
    return (
      <main>
        <SignIn />
      </main>
    );
  }

  return (
    <>
      <div className="app" data-page={shownPart}>
        {/* Outside the parts, of which a phone shows one. */}
        <header className="page-head hidden">
          <h1>Playground of kelivo-responses</h1>
        </header>
        <SidePanel page={page} conversationId={conversationId} onOpen={open} onNew={startNew} />
        <ConversationView
          key={conversationId}
          conversationId={conversationId}
          draftMode={draft.mode}
          draftText={draft.text}
          page={page}
          onNew={startNew}
          selected={selected}
          onSelect={setSelected}
          onInspect={inspect}
        />
        <Inspector
          live={live}
          otlpPath={otlpPath}
          conversations={page.conversations}
          onOpenTrace={open}
          onShowCall={showCall}
        />
        <PageTabs page={shownPart} onChange={setShownPart} />
      </div>
      {/* Outside the parts, because it waits for the user whichever of them a phone shows. */}
      {request !== undefined && <ServerRequest key={request.id} request={request} />}
      {/* Above the rest, which keeps what was entered. */}
      {isSignedOut && <SignIn />}
    </>
  );
}

/** Returns the selected response, or the last one: of the chat, or of the left side. */
function findInspected({ conversation, turns }: PageHook, selected: string | undefined) {
  const running = Object.values(turns);
  const stored = Object.values(conversation?.threads ?? {}).flat();
  const chosen =
    running.find(({ message }) => message.id === selected) ??
    stored.find(({ message }) => message.id === selected) ??
    running.find(({ place }) => place.thread !== 'right') ??
    (conversation?.threads.main ?? conversation?.threads.left)?.findLast(
      ({ message }) => message.role === 'assistant',
    );
  if (chosen === undefined) return undefined;
  return { message: chosen.message, trace: 'trace' in chosen ? chosen.trace : toTrace(chosen.outline) };
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
