import { randomUUID } from 'node:crypto';
import { type McpServers, parseMcpConfig } from 'kelivo-responses/mcp';
import { createToolbox, type ToolSource } from 'kelivo-responses/tool-loop';
import { describeFailure } from '../../shared/failure.js';
import type { ConfigurationRefused, ConfirmationNeeded, ServerView } from '../../shared/playground-state.js';
import { findNewCommands } from './commands.js';
import { maskServers, secretsOf, unmaskServers } from './secrets.js';
import { createServerEntry, type ServerEntry } from './server.js';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The MCP servers of the configuration file, and the way to change it. */
export interface ServerBook {
  views(): readonly ServerView[];
  /** The configuration as JSON text, without secrets. */
  configText(): string;
  /** The tools of all servers, as they are configured now. */
  tools(): ToolSource;
  /** Connects all servers together. */
  connect(): Promise<void>;
  /** Ends a server and starts it again. Returns whether there is one of this name. */
  reconnect(name: string): Promise<boolean>;
  /**
   * Replaces the configuration. Programs that the file does not know are not started before somebody has seen them: the
   * answer then asks for a confirmation, which is good for this very configuration, once.
   *
   * @returns undefined when the configuration is in force.
   */
  replace(
    text: string,
    options?: { confirmation?: string },
  ): Promise<ConfirmationNeeded | ConfigurationRefused | undefined>;
  secrets(): readonly string[];
  close(): Promise<void>;
}

export interface ServerBookOptions {
  readonly file: string;
  readonly defaults: McpServers;
  readonly redact: (text: string) => string;
}

/** @throws KelivoError when the file is no configuration. */
export function openServerBook({ file, defaults, redact }: ServerBookOptions): ServerBook {
  let servers = readConfigFile(file, { defaults });
  let entries = createEntries(servers);
  let pending: { readonly confirmation: string; readonly servers: string } | undefined;

  function createEntries(configs: McpServers): ReadonlyMap<string, ServerEntry> {
    return new Map(
      Object.entries(configs).map(([name, config]) => [name, createServerEntry(name, config, { redact })]),
    );
  }

  /** Servers that stay as they are keep their connection. */
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
  }

  const connect = async (): Promise<void> => {
    await Promise.all([...entries.values()].map(entry => entry.connect()));
  };

  return {
    views: () => [...entries.values()].map(entry => entry.view()),
    configText: () => JSON.stringify({ mcpServers: maskServers(servers) }, null, 2),
    tools: () => createToolbox([...entries.values()].map(({ source }) => source)),
    connect,
    async reconnect(name) {
      const entry = entries.get(name);
      if (entry === undefined) return false;
      await entry.close();
      await entry.connect();
      return true;
    },
    async replace(text, { confirmation } = {}) {
      let changed: McpServers;
      try {
        changed = unmaskServers(parseMcpConfig(text), servers);
      } catch (error) {
        return { problem: redact(describeFailure(error)) };
      }
      const identity = JSON.stringify(changed);
      const newCommands = findNewCommands(changed, servers);
      const isConfirmed =
        confirmation !== undefined && pending?.confirmation === confirmation && pending.servers === identity;
      pending = undefined;
      if (newCommands.length > 0 && !isConfirmed) {
        pending = { confirmation: randomUUID(), servers: identity };
        return {
          needsConfirmation: newCommands,
          confirmation: pending.confirmation,
        };
      }
      writeConfigFile(file, changed);
      await apply(changed);
      void connect();
      return undefined;
    },
    secrets: () => secretsOf(servers),
    async close() {
      await Promise.allSettled([...entries.values()].map(entry => entry.close()));
    },
  };
}

/** The servers of the file; `defaults` are written to it first if there is none. */
export function readConfigFile(file: string, { defaults }: { defaults: McpServers }): McpServers {
  if (!existsSync(file)) writeConfigFile(file, defaults);
  return parseMcpConfig(readFileSync(file, 'utf8'));
}

/** Replaces the file as a whole, readable by its owner alone: it may hold keys. */
export function writeConfigFile(file: string, mcpServers: McpServers): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify({ mcpServers }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
