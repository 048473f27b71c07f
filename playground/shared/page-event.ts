import type { UIMessageChunk } from 'ai';
import type {
  Conversation,
  ListedConversation,
  PlaygroundState,
  ServersResponse,
  Thread,
} from './playground-state.js';
import type { TraceEvent } from './trace-event.js';

/**
 * An event of the channel that keeps all open pages in step. A new connection receives everything once: the state, the
 * servers, the list, the watched conversation and its running turns from their beginning. After that it receives changes.
 */
export type PageEvent =
  | { readonly type: 'state'; readonly state: PlaygroundState }
  | { readonly type: 'servers'; readonly servers: ServersResponse }
  | { readonly type: 'conversations'; readonly conversations: readonly ListedConversation[] }
  /** The watched conversation; null if it has no message. It is then a draft, or unknown. */
  | {
      readonly type: 'conversation';
      readonly conversation: Conversation | null;
      readonly isDraft: boolean;
    }
  | { readonly type: 'turn'; readonly turn: TurnBatch }
  /** Follows the `conversation` that contains the stored response. */
  | { readonly type: 'turn-ended'; readonly responseId: string };

/** New parts of a running turn of the watched conversation. */
export interface TurnBatch extends TurnPlace {
  /** True if `chunks` and `events` begin with the turn. */
  readonly isFirst: boolean;
  readonly chunks: readonly UIMessageChunk[];
  readonly events: readonly TraceEvent[];
}

/** The place of a turn's response. */
export interface TurnPlace {
  readonly responseId: string;
  readonly conversationId: string;
  readonly thread: Thread;
  /** The message that the turn answers. */
  readonly parentId: string;
}
