import type { ConversationMode } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { ConversationList } from './conversation-list.js';
import { Icon, type IconName } from '../ui/icon.js';
import { SetupPanel } from '../settings/setup-panel.js';
import { Tabs } from '../ui/tabs.js';
import { useState } from 'react';
import { applyTheme, readTheme, type Theme } from '../ui/theme.js';

export interface SidePanelProps {
  readonly page: PageHook;
  readonly conversationId: string;
  readonly onOpen: (id: string) => void;
  readonly onNew: (mode: ConversationMode) => void;
}

export function SidePanel({ page, conversationId, onOpen, onNew }: SidePanelProps) {
  return (
    <section className="side-panel" aria-label="Conversations and settings">
      <header className="brand">
        <img src="/icon.svg" alt="" width="26" height="26" />
        <p className="brand-name">
          kelivo-responses <small>playground</small>
        </p>
        <h2 className="hidden">Conversations and settings</h2>
        <ThemeToggle />
      </header>
      <div className="button-row">
        <button type="button" className="button" onClick={() => onNew('chat')}>
          <Icon name="plus" /> New chat
        </button>
        <button type="button" className="button" onClick={() => onNew('compare')}>
          <Icon name="compare" /> Compare
        </button>
      </div>
      <Tabs
        label="Side panel"
        tabs={[
          { name: 'setup', title: 'Setup', content: <SetupPanel page={page} /> },
          {
            name: 'chats',
            title: 'Chats',
            badge: toChatsBadge(page.conversations),
            content: <ConversationList page={page} current={conversationId} onOpen={onOpen} onNew={onNew} />,
          },
        ]}
      />
      {page.removed !== undefined && (
        <div className="note undo-note" role="status">
          <span>“{page.removed.title}” is deleted.</span>
          <button type="button" className="button" onClick={() => void page.restoreConversation()}>
            Undo
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => page.forgetRemoved()}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </section>
  );
}

/** Counts tool calls that wait in any conversation, because they may be out of sight. */
function toChatsBadge(conversations: PageHook['conversations'] = []) {
  const count = conversations.reduce(
    (sum, { pendingApprovals, pendingRequests }) => sum + pendingApprovals + pendingRequests,
    0,
  );
  return count === 0 ? undefined : { count, name: 'waiting' };
}

const order: Readonly<Record<Theme, { next: Theme; icon: IconName; title: string }>> = {
  system: { next: 'light', icon: 'auto', title: 'system' },
  light: { next: 'dark', icon: 'sun', title: 'light' },
  dark: { next: 'system', icon: 'moon', title: 'dark' },
};

function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  const { next, icon, title } = order[theme];
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Colours: ${title}. Change to ${order[next].title}`}
      title={`Colours: ${title}`}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
