import type { ConversationMode } from '../../shared/playground-state.js';
import type { ConversationsHook } from '../hooks/use-conversations.js';
import type { PlaygroundStateHook } from '../hooks/use-playground-state.js';
import { ConversationList } from './conversation-list.js';
import { Icon, type IconName } from './icon.js';
import { ServersPanel } from './servers-panel.js';
import { SetupPanel } from './setup-panel.js';
import { Tabs } from './tabs.js';
import { useState } from 'react';
import { applyTheme, readTheme, type Theme } from '../lib/theme.js';

export interface SidePanelProps {
  readonly playground: PlaygroundStateHook;
  readonly conversations: ConversationsHook;
  readonly conversationId: string;
  readonly onOpen: (id: string) => void;
  readonly onNew: (mode: ConversationMode) => void;
}

export function SidePanel({ playground, conversations, conversationId, onOpen, onNew }: SidePanelProps) {
  return (
    <aside className="side-panel" aria-label="Conversations and settings">
      <header className="brand">
        <img src="./icon.svg" alt="" width="26" height="26" />
        <h1>
          kelivo-responses <small>playground</small>
        </h1>
        <ThemeToggle />
      </header>
      <div className="button-row">
        <button type="button" className="button primary" onClick={() => onNew('chat')}>
          <Icon name="plus" /> New chat
        </button>
        <button type="button" className="button" onClick={() => onNew('compare')}>
          <Icon name="compare" /> Compare
        </button>
      </div>
      <Tabs
        label="Side panel"
        tabs={[
          { name: 'setup', title: 'Setup', content: <SetupPanel playground={playground} /> },
          { name: 'servers', title: 'MCP servers', content: <ServersPanel /> },
          {
            name: 'chats',
            title: 'Chats',
            content: (
              <ConversationList
                conversations={conversations}
                current={conversationId}
                onOpen={onOpen}
                onNew={onNew}
              />
            ),
          },
        ]}
      />
    </aside>
  );
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
