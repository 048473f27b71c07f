import { type McpServerConfig, type McpServers, parseMcpConfig } from 'kelivo-responses/mcp';
import type { ToolSource } from 'kelivo-responses/tool-loop';
import { describeFailure } from '../../shared/failure.js';
import {
  type ConfigurationRejected,
  type ConfirmationNeeded,
  isToolOff,
  type ServerView,
  type ToolSwitch,
} from '../../shared/playground-state.js';
import { toFreeName, toServerName } from '../../shared/server-name.js';
import type { Redactor } from '../redaction/redactor.js';
import { joinSources } from './joined-sources.js';
import { findNewPrograms } from './commands.js';
import { createConfirmations } from './confirmation.js';
import { openCredentials } from './credentials.js';
import { maskServers, secretsOf, toVariables, unmaskServers } from './secrets.js';
import { createRequestDesk, type RequestDesk } from './request-desk.js';
import { createServerEntry, type ServerEntry } from './server.js';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The MCP servers of the configuration file. */
export interface ServerRegistry {
  /** Requests of servers that wait for the user. */
  readonly desk: RequestDesk;
  find(name: string): ServerEntry | undefined;
  /** Returns the configuration of a server as JSON text, with secrets. */
  configOf(name: string): string | undefined;
  /** Whether a user was sent to an authorization server with this `state`, and has not returned. */
  awaitsSignIn(state: string): boolean;
  /** Completes the sign-in that the callback belongs to. Returns false if no server accepts it. */
  finishAuth(callback: URLSearchParams): Promise<boolean>;
  views(): readonly ServerView[];
  /** The configuration as JSON text, without secrets. */
  configText(): string;
  /** The configuration with environment variables in place of its secrets. */
  variables(): ReturnType<typeof toVariables>;
  /** Returns the tools of all currently configured servers, except those that are off. */
  tools(off: readonly ToolSwitch[]): ToolSource;
  /** Connects all servers in parallel. `onEnd` receives each with the milliseconds that its attempt has taken. */
  connect(onEnd?: (server: ServerView, milliseconds: number) => void): Promise<void>;
  /**
   * Adds a server that the owner of the process has named, so no code confirms it. One with the same program or address is
   * switched on instead. Returns its name.
   */
  add(config: NewServer): Promise<string>;
  /** Restarts a server. Returns false if no server has this name. */
  reconnect(name: string): Promise<boolean>;
  /** Forgets the sign-in at a server and connects again. Returns false if no server has this name. */
  signOut(name: string): Promise<boolean>;
  /**
   * Replaces the configuration. If it contains new programs, they are not started, and the result requires the code that
   * was printed in the terminal. A code is valid once and only for the same configuration.
   *
   * @returns undefined if the configuration has been applied.
   */
  replace(
    text: string,
    options?: { code?: string },
  ): Promise<ConfirmationNeeded | ConfigurationRejected | undefined>;
  secrets(): readonly string[];
  close(): Promise<void>;
}

export interface ServerRegistryOptions {
  readonly file: string;
  /** The file of tokens and registrations. */
  readonly credentialsFile: string;
  readonly defaults: McpServers;
  readonly redactor: Redactor;
  /** Returns the address to which authorization servers return the user. */
  readonly redirectUrl: () => string;
  /** Called when the requests of servers that wait for the user have changed. */
  readonly onRequests: () => void;
  /** Writes a text where only the owner of the playground reads it. */
  readonly print: (text: string) => void;
}

/** @throws KelivoError if the file contains no valid configuration. */
export function openServerRegistry({
  file,
  credentialsFile,
  defaults,
  redactor,
  redirectUrl,
  onRequests,
  print,
}: ServerRegistryOptions): ServerRegistry {
  const desk = createRequestDesk({ onChange: onRequests });
  const credentials = openCredentials(credentialsFile);
  let servers = readConfigFile(file, { defaults });
  let entries = createEntries(servers);
  const confirmations = createConfirmations({ print });

  function createEntries(configs: McpServers): ReadonlyMap<string, ServerEntry> {
    return new Map(
      Object.entries(configs).map(([name, config]) => [
        name,
        createServerEntry(name, config, { redactor, desk, credentials, redirectUrl }),
      ]),
    );
  }

  /** Applies a configuration. Unchanged servers keep their connection. */
  async function apply(changed: McpServers): Promise<void> {
    const before = { servers, entries };
    const created = createEntries(changed);
    const isKept = (name: string): boolean =>
      JSON.stringify(before.servers[name]) === JSON.stringify(changed[name]);
    servers = changed;
    entries = new Map(
      [...created].map(([name, entry]) => [name, (isKept(name) && before.entries.get(name)) || entry]),
    );
    const gone = [...before.entries].filter(([name]) => !isKept(name));
    await Promise.allSettled(gone.map(([, entry]) => entry.close()));
    const addresses = Object.values(changed).map(addressOf);
    for (const address of Object.values(before.servers).map(addressOf))
      if (address !== undefined && !addresses.includes(address)) credentials.remove(address);
  }

  const connect: ServerRegistry['connect'] = async onEnd => {
    await Promise.all(
      [...entries.values()].map(async entry => {
        const startedAt = performance.now();
        await entry.connect();
        onEnd?.(entry.view(), performance.now() - startedAt);
      }),
    );
  };

  return {
    desk,
    find: name => entries.get(name),
    configOf: name => JSON.stringify(servers[name]),
    awaitsSignIn: state =>
      [...entries.values()].some(entry => {
        const { authorizationUrl } = entry.view();
        return (
          authorizationUrl !== undefined && new URL(authorizationUrl).searchParams.get('state') === state
        );
      }),
    async finishAuth(callback) {
      for (const [name, entry] of entries) {
        if (entry.view().state !== 'unauthorized') continue;
        try {
          await entry.features().finishAuth(name, callback);
          void entry.connect();
          return true;
        } catch {
          // The callback belongs to another server, or to nobody.
        }
      }
      return false;
    },
    views: () => [...entries.values()].map(entry => entry.view()),
    configText: () => JSON.stringify({ mcpServers: maskServers(servers) }, null, 2),
    variables: () => toVariables(servers),
    tools: off =>
      joinSources(
        new Map(
          [...entries]
            .filter(([server]) => !isToolOff(off, { server }))
            .map(([server, { source }]) => [
              server,
              withoutTools(source, tool => isToolOff(off, { server, tool })),
            ]),
        ),
      ),
    connect,
    async add(config) {
      const known = Object.entries(servers).find(([, server]) => isSameServer(server, config));
      const name = known?.[0] ?? toFreeName(toServerName(config), new Map(Object.entries(servers)));
      const server: McpServerConfig =
        known === undefined ? toConfig(config) : { ...known[1], disabled: false };
      const changed = { ...servers, [name]: server };
      writeConfigFile(file, changed);
      await apply(changed);
      return name;
    },
    async reconnect(name) {
      const entry = entries.get(name);
      if (entry === undefined) return false;
      await entry.reconnect();
      return true;
    },
    async signOut(name) {
      const entry = entries.get(name);
      if (entry === undefined) return false;
      await entry.signOut();
      await entry.connect();
      return true;
    },
    async replace(text, { code } = {}) {
      let changed: McpServers;
      try {
        changed = unmaskServers(parseMcpConfig(text), servers);
      } catch (error) {
        return { problem: redactor.text(describeFailure(error)) };
      }
      const newPrograms = findNewPrograms(changed, servers);
      if (newPrograms.length > 0) {
        const change = JSON.stringify([changed, newPrograms]);
        const needed =
          code === undefined
            ? confirmations.ask(change, newPrograms)
            : confirmations.check(change, newPrograms, code);
        if (needed !== undefined) return needed;
      }
      writeConfigFile(file, changed);
      await apply(changed);
      void connect();
      return undefined;
    },
    secrets: () => [...secretsOf(servers), ...credentials.secrets()],
    async close() {
      await Promise.allSettled([...entries.values()].map(entry => entry.close()));
    },
  };
}

/** A tool that is off is neither in a request nor can it be called. */
export const withoutTools = (source: ToolSource, isOff: (toolName: string) => boolean): ToolSource => ({
  ...source,
  async listTools(options) {
    const listing = await source.listTools(options);
    return { ...listing, tools: listing.tools.filter(({ name }) => !isOff(name)) };
  },
});

/** A server of the command line. */
export type NewServer =
  { readonly url: string } | { readonly command: string; readonly args: readonly string[] };

const toConfig = (server: NewServer): McpServerConfig =>
  'url' in server ? server : { command: server.command, args: [...server.args] };

const isSameServer = (known: McpServerConfig, added: NewServer): boolean =>
  'url' in added
    ? 'url' in known && known.url === added.url
    : 'command' in known &&
      JSON.stringify([known.command, ...(known.args ?? [])]) ===
        JSON.stringify([added.command, ...added.args]);

const addressOf = (config: McpServerConfig): string | undefined => ('url' in config ? config.url : undefined);

/** Reads the configuration file. Creates it with `defaults` if it does not exist. */
function readConfigFile(file: string, { defaults }: { defaults: McpServers }): McpServers {
  if (!existsSync(file)) writeConfigFile(file, defaults);
  return parseMcpConfig(readFileSync(file, 'utf8'));
}

/** Replaces the file atomically, readable only for its owner, because it may contain keys. */
function writeConfigFile(file: string, mcpServers: McpServers): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify({ mcpServers }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
