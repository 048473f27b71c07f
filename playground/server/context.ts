import type { Apps } from './apps/apps.js';
import type { SharedEmulator } from './emulator/shared-emulator.js';
import type { KeySafe } from './keys.js';
import type { ServerRegistry } from './mcp/servers.js';
import type { AttachmentStore } from './store/attachments.js';
import type { ConversationStore } from './store/conversations.js';
import type { PolicyStore } from './store/policies.js';
import type { PresetStore } from './store/presets.js';
import type { SettingsStore } from './store/settings.js';
import type { ApprovalDesk } from './turn/approvals.js';
import type { Redactor } from './redaction/redactor.js';
import type { PageChannel } from './page-channel.js';
import type { Turns } from './turn/turns.js';

/** Dependencies of the routes. */
export interface PlaygroundContext {
  readonly conversations: ConversationStore;
  readonly attachments: AttachmentStore;
  readonly settings: SettingsStore;
  readonly presets: PresetStore;
  readonly policies: PolicyStore;
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
  readonly servers: ServerRegistry;
  readonly desk: ApprovalDesk;
  readonly turns: Turns;
  readonly channel: PageChannel;
  readonly apps: Apps;
  readonly redactor: Redactor;
  /** Folder that the MCP file server has access to. */
  readonly filesFolder: string;
}
