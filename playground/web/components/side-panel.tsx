import type { ConversationMode } from '../../shared/playground-state.js';
import type { ConversationsHook } from '../hooks/use-conversations.js';
import type { PlaygroundStateHook } from '../hooks/use-playground-state.js';
import { ConversationList } from './conversation-list.js';
import { Icon } from './icon.js';
import { ServersPanel } from './servers-panel.js';
import { SetupPanel } from './setup-panel.js';
import { Tabs } from './tabs.js';
import { ThemeToggle } from './theme-toggle.js';

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
