import type {
  Conversation,
  ConversationMode,
  StoredMessage,
  TraceBatch,
} from '../../shared/playground-state.js';
import type { PlaygroundStateHook } from '../hooks/use-playground-state.js';
import type { Traces } from '../hooks/use-traces.js';

/** Props of a conversation that may not have been loaded yet. */
export interface ConversationViewProps {
  readonly conversationId: string;
  /** Mode and text of a conversation that the server does not have yet. */
  readonly draft: { readonly mode: ConversationMode; readonly text: string };
  readonly playground: PlaygroundStateHook;
  readonly traces: Traces;
  readonly onTrace: (batch: TraceBatch) => void;
  readonly onLoad: (messages: readonly StoredMessage[]) => void;
  readonly onChanged: () => Promise<void>;
  readonly onNew: (mode: ConversationMode, text?: string) => void;
  readonly selected: string | undefined;
  readonly onSelect: (messageId: string | undefined) => void;
  readonly onInspect: (messageId: string) => void;
}

/** Props shared by the chat and the comparison of a loaded conversation. */
export interface ConversationProps extends Omit<ConversationViewProps, 'draft' | 'onLoad' | 'onChanged'> {
  readonly conversation: Conversation;
  readonly draftText: string;
  readonly onFinish: () => void;
}
