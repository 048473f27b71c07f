import type { SharedEmulator } from './emulator/shared-emulator.js';
import type { KeySafe } from './keys.js';
import type { ServerBook } from './mcp/servers.js';
import type { ConversationStore } from './store/conversations.js';
import type { SettingsStore } from './store/settings.js';
import type { ApprovalDesk } from './turn/approvals.js';
import type { Redactor } from './turn/redaction.js';
import type { RunningTurns } from './turn/running-turns.js';

/** What the routes share. */
export interface PlaygroundContext {
  readonly conversations: ConversationStore;
  readonly settings: SettingsStore;
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
  readonly servers: ServerBook;
  readonly desk: ApprovalDesk;
  readonly turns: RunningTurns;
  readonly redactor: Redactor;
  /** The folder that the file server may touch. */
  readonly filesFolder: string;
}
