import { useCallback, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ConversationMode } from '../shared/playground-state.js';
import { toTrace } from '../shared/trace.js';
import { revealCall } from './chat/reveal-call.js';
import { SidePanel } from './chat/side-panel.js';
import { ConversationView } from './conversation-view.js';
import { createDraft } from './page/drafts.js';
import { navigate, paths } from './page/routes.js';
import type { PageHook } from './page/use-page.js';
import { Inspector } from './traces/inspector.js';
import { useFullTrace } from './traces/use-full-trace.js';
import { Resizer } from './ui/resizer.js';

export interface ChatsPageProps {
  readonly page: PageHook;
  readonly conversationId: string;
  /** The response in the address, which the inspector shows. @default the last response */
  readonly selected: string | undefined;
}

/** Conversations and their settings, one conversation, and the inspector. A phone shows one of them at a time. */
export function ChatsPage({ page, conversationId, selected }: ChatsPageProps) {
  const [shownPart, setShownPart] = useState<PartName>(selected === undefined ? 'chat' : 'inspect');
  /** Mode and initial text of a new conversation. */
  const [draft, setDraft] = useState<{ mode: ConversationMode; text: string }>({ mode: 'chat', text: '' });

  const open = useCallback((id: string): void => {
    setShownPart('chat');
    navigate(paths.chat(id));
  }, []);
  const startNew = useCallback(
    (mode: ConversationMode, text = ''): void => {
      setDraft({ mode, text });
      open(createDraft());
    },
    [open],
  );
  const inspect = useCallback(
    (messageId: string): void => {
      setShownPart('inspect');
      navigate(paths.chat(conversationId, messageId));
    },
    [conversationId],
  );
  const deselect = useCallback((): void => {
    if (selected !== undefined) navigate(paths.chat(conversationId));
  }, [conversationId, selected]);
  const showCall = (toolCallId: string): void => {
    // A hidden part cannot get the focus.
    flushSync(() => setShownPart('chat'));
    revealCall(toolCallId);
  };
  const inspected = findInspected(page, selected);
  const live = useFullTrace(conversationId, inspected, page.turns);

  return (
    <main className="workspace chats" data-page={shownPart}>
      <SidePanel page={page} conversationId={conversationId} onOpen={open} onNew={startNew} />
      <Resizer panel="list" label="Width of the list" />
      <ConversationView
        key={conversationId}
        conversationId={conversationId}
        draftMode={draft.mode}
        draftText={draft.text}
        page={page}
        onNew={startNew}
        selected={selected}
        onDeselect={deselect}
        onInspect={inspect}
      />
      <Resizer panel="inspector" label="Width of the inspector" />
      <Inspector live={live} messageId={inspected?.message.id} onShowCall={showCall} />
      <PartTabs part={shownPart} onChange={setShownPart} />
    </main>
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

type PartName = 'chat' | 'inspect' | 'setup';

const parts: readonly (readonly [PartName, string])[] = [
  ['setup', 'Setup'],
  ['chat', 'Chat'],
  ['inspect', 'Inspect'],
];

/** Switches between the parts on narrow screens. */
function PartTabs({ part, onChange }: { part: PartName; onChange: (part: PartName) => void }) {
  return (
    <nav className="part-tabs" aria-label="Parts of the chat">
      {parts.map(([name, title]) => (
        <button
          key={name}
          type="button"
          aria-current={part === name ? 'page' : undefined}
          onClick={() => onChange(name)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
