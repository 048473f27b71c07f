import type { ConversationMode } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';

/** Props of a conversation. */
export interface ConversationProps {
  readonly conversationId: string;
  readonly page: PageHook;
  /** Initial text of the message field. */
  readonly draftText: string;
  readonly onNew: (mode: ConversationMode, text?: string) => void;
  /** Response that the user has selected for the inspector. */
  readonly selected: string | undefined;
  /** Returns the inspector to the last response. */
  readonly onDeselect: () => void;
  /** Selects a response, and shows the inspector on narrow screens. */
  readonly onInspect: (messageId: string) => void;
}
