import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.js';
import { createApps } from './apps/apps.js';
import type { PlaygroundContext } from './context.js';
import { createSharedEmulator } from './emulator/shared-emulator.js';
import { createKeySafe } from './keys.js';
import { defaultServers, makeFilesFolder } from './mcp/default-servers.js';
import { type NewServer, openServerRegistry } from './mcp/servers.js';
import type { ServerView } from '../shared/playground-state.js';
import { CALLBACK_PATH } from './mcp/sign-in.js';
import { createOtlpExporter } from './otlp/exporter.js';
import { createPageChannel } from './page-channel.js';
import { createRedactor } from './redaction/redactor.js';
import { listConversations, readConversation } from './routes/conversations.js';
import { readServers } from './routes/servers.js';
import { readState } from './routes/state.js';
import { createSession } from './session.js';
import { createAttachmentStore } from './store/attachments.js';
import { createConversationStore } from './store/conversations.js';
import { openDatabase } from './store/database.js';
import { createPolicyStore } from './store/policies.js';
import { createPresetStore } from './store/presets.js';
import { createSettingsStore } from './store/settings.js';
import { createApprovalDesk } from './turn/approvals.js';
import { createTurns } from './turn/turns.js';

export interface PlaygroundOptions {
  /** Folder for conversations, settings and the MCP configuration. */
  readonly folder: string;
  /** @default a free port */
  readonly port?: number;
  /** Environment with `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An MCP server to add and to open. */
  readonly server?: NewServer;
  /** Called for each MCP server when its first attempt to connect has ended. */
  readonly onServer?: (server: ServerView, milliseconds: number) => void;
  /** The folder of the built page. @default the output of `npm run build:page` */
  readonly page?: string;
  /** Writes the codes that confirm programs, and the address of a new token. @default standard output */
  readonly print?: (text: string) => void;
}

/** A running playground. */
export interface Playground {
  /** The address, which rejects requests without the token of the session. */
  readonly url: string;
  /** The address with the current token, to open in a browser. A fragment is never sent to a server. */
  readonly signInUrl: string;
  /** The address for `devTools()` of an application. Its token can only send. */
  readonly appUrl: string;
  /** The variables for an application that exports spans. */
  readonly otlpVariables: string;
  /** Stops turns, servers and connections. */
  close(): Promise<void>;
}

/** Milliseconds between two updates of pages about turns of applications. */
const APPS_INTERVAL = 250;

const builtPage = fileURLToPath(new URL('../web/dist', import.meta.url));

/**
 * Starts the playground on 127.0.0.1, so that other machines cannot reach it.
 *
 * @throws the error of `node:http` if the port is in use, and KelivoError if the MCP configuration is invalid.
 */
export async function startPlayground({
  folder,
  port: wantedPort = 0,
  environment,
  server: newServer,
  onServer,
  page = builtPage,
  print = console.log,
}: PlaygroundOptions): Promise<Playground> {
  // The trace contains the warnings, so `ai` does not print them.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  let port = wantedPort;
  const database = openDatabase(folder);
  const filesFolder = path.join(folder, 'files');
  makeFilesFolder(filesFolder);
  const keys = createKeySafe({ environment });
  const redactor = createRedactor(() => [...keys.all(), ...servers.secrets()]);
  const servers = openServerRegistry({
    file: path.join(folder, 'mcp.json'),
    credentialsFile: path.join(folder, 'credentials.json'),
    defaults: defaultServers({ filesFolder }),
    redactor,
    redirectUrl: () => `http://127.0.0.1:${port}${CALLBACK_PATH}`,
    onRequests() {
      channel.changed('servers');
      channel.changed('conversations');
    },
    print,
  });
  const exporter = createOtlpExporter({ environment, redactor });
  const turns = createTurns({
    onBatch: batch => channel.sendBatch(batch),
    onChange: () => channel.changed('conversations'),
    onEnd(place, message, trace) {
      context.conversations.addResponse(place, message, trace);
      context.conversations.prune(settings.readRetention());
      channel.changed(place);
      channel.sendTurnEnd(place);
      channel.changed('conversations');
      exporter?.send(trace, { turnId: message.id });
    },
  });
  const channel = createPageChannel({
    async read(subject, conversationId) {
      if (typeof subject === 'object')
        return {
          type: 'conversation',
          conversation: readConversation(context, subject.conversationId),
          isDraft: context.conversations.isDraft(subject.conversationId),
        };
      return {
        state: () => ({ type: 'state' as const, state: readState(context, conversationId) }),
        servers: () => ({ type: 'servers' as const, servers: readServers(context) }),
        conversations: () => ({ type: 'conversations' as const, conversations: listConversations(context) }),
      }[subject]();
    },
    snapshots: turns.snapshots,
  });
  const emulator = createSharedEmulator();
  const conversations = createConversationStore(database);
  const presets = createPresetStore(database);
  const settings = createSettingsStore(database, { presets });
  conversations.prune(settings.readRetention());
  let pageUpdate: NodeJS.Timeout | undefined;
  const apps = createApps({
    redactor,
    store(turn) {
      conversations.addAppTurn(turn);
      conversations.prune(settings.readRetention());
    },
    onChange() {
      // Turns of applications change many times per second.
      pageUpdate ??= setTimeout(() => {
        pageUpdate = undefined;
        channel.changed('conversations');
      }, APPS_INTERVAL);
    },
  });
  const context: PlaygroundContext = {
    conversations,
    apps,
    attachments: createAttachmentStore(database),
    presets,
    settings,
    policies: createPolicyStore(database),
    keys,
    emulator,
    servers,
    desk: createApprovalDesk(),
    turns,
    channel,
    redactor,
    filesFolder,
  };
  const session = createSession(() => {
    // Each page connects again, and is refused without the new token.
    channel.close();
    print(`The token was replaced. The playground runs at ${toSignInUrl()}`);
  });
  let startPath = '/';
  const toSignInUrl = (): string => `http://127.0.0.1:${port}${startPath}#token=${session.token}`;
  const app = createApp({ playground: context, port: () => port, session, page });
  const server = createServer(getRequestListener(app.fetch));
  try {
    port = await listen(server, wantedPort);
  } catch (error) {
    database.close();
    throw error;
  }
  if (newServer !== undefined)
    startPath = `/servers/${encodeURIComponent(await servers.add(newServer))}/tools`;
  void servers.connect(onServer);

  return {
    url: `http://127.0.0.1:${port}`,
    appUrl: `http://127.0.0.1:${port}/send/${apps.token}`,
    otlpVariables: `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port} OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${apps.token}`,
    get signInUrl() {
      return toSignInUrl();
    },
    async close() {
      await turns.stopAll();
      apps.close();
      clearTimeout(pageUpdate);
      await exporter?.flush();
      channel.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, servers.close(), emulator.close()]);
      database.close();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
