import type { SharedEmulator } from './emulator/shared-emulator.js';
import type { KeySafe } from './keys.js';
import type { ServerRegistry } from './mcp/servers.js';
import type { ConversationStore } from './store/conversations.js';
import type { SettingsStore } from './store/settings.js';
import type { ApprovalDesk } from './turn/approvals.js';
import type { Redactor } from './turn/redaction.js';
import type { RunningTurns } from './turn/running-turns.js';

/** Dependencies of the routes. */
export interface PlaygroundContext {
  readonly conversations: ConversationStore;
  readonly settings: SettingsStore;
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
  readonly servers: ServerRegistry;
  readonly desk: ApprovalDesk;
  readonly turns: RunningTurns;
  readonly redactor: Redactor;
  /** Folder that the MCP file server has access to. */
  readonly filesFolder: string;
}
