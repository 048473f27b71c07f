import { untilAborted } from '../../core/shared/abort.js';
import { runDetached } from '../../core/shared/async-context.js';
import type { HostToolsOptions } from '../host-tools.js';
import { type McpServers, toSourceName, validateMcpServers } from './config/config.js';
import { type McpToolsOptions, validateMcpToolsOptions } from './options.js';
import type { McpServerStatus, McpTools } from './start-mcp-tools.js';

/**
 * Offers the tools of MCP servers. Nothing starts before the first list or call. Servers connect in parallel, and if
 * one fails, only its tools are missing.
 *
 * A tool keeps its name. If two servers have a tool of the same name, both are offered as `<server>_<tool>`. A server that
 * is slow to start joins when it is ready, see `startupTimeout`. At most 1,000 tools per server are used, and descriptions
 * are truncated after 10,000 characters. `close()` ends the turns that use the tools, and the connections, except those
 * of a shared `pool`.
 *
 * The SDK is loaded at the first use.
 *
 * @param mcpServers The `mcpServers` object of a Claude Desktop, Cursor or VS Code file.
 * @throws KelivoError `invalid-settings` for invalid servers or options.
 *
 * @example
 * const tools = createMcpTools({
 *   files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
 *   search: { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer ${token}` } },
 * });
 */
export function createMcpTools(mcpServers: McpServers, options: McpToolsOptions = {}): McpTools {
  const validOptions = validateMcpToolsOptions(options);
  const servers = validateMcpServers(mcpServers);
  const enabled = Object.keys(servers).filter(name => servers[name]?.disabled !== true);
  let loaded: McpTools | undefined;
  let loading: Promise<McpTools> | undefined;

  function load(signal?: AbortSignal): Promise<McpTools> {
    // The module and the servers outlive the call that loads them, and must not run in its context.
    loading ??= runDetached(async () => {
      const { startMcpTools } = await import('./start-mcp-tools.js');
      loaded = startMcpTools(servers, validOptions);
      return loaded;
    });
    return untilAborted(loading, signal);
  }

  /** Starts an operation, at once if the module is loaded. */
  async function use<T>(operation: (tools: McpTools) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return operation(loaded ?? (await load(signal)));
  }

  function reconnect(server: string): Promise<McpServerStatus>;
  function reconnect(): Promise<McpServerStatus[]>;
  function reconnect(server?: string): Promise<McpServerStatus | McpServerStatus[]> {
    return use<McpServerStatus | McpServerStatus[]>(tools =>
      server === undefined ? tools.reconnect() : tools.reconnect(server),
    );
  }

  return {
    name: toSourceName(enabled),
    listTools: (listing = {}) => use(tools => tools.listTools(listing), listing.signal),
    fingerprints: () => use(tools => tools.fingerprints()),
    tools: ((toolsOptions?: HostToolsOptions) =>
      use(tools => tools.tools(toolsOptions))) as McpTools['tools'],
    callTool: (call, callOptions) => use(tools => tools.callTool(call, callOptions), callOptions.signal),
    callAppTool: (call, callOptions) =>
      use(tools => tools.callAppTool(call, callOptions), callOptions.signal),
    listResources: (...request) => use(tools => tools.listResources(...request), request[1]?.signal),
    listResourceTemplates: (...request) =>
      use(tools => tools.listResourceTemplates(...request), request[1]?.signal),
    readResource: (...request) => use(tools => tools.readResource(...request), request[1].signal),
    listPrompts: (...request) => use(tools => tools.listPrompts(...request), request[1]?.signal),
    getPrompt: (...request) => use(tools => tools.getPrompt(...request), request[1].signal),
    listSkills: (...request) => use(tools => tools.listSkills(...request), request[1]?.signal),
    readSkill: (...request) => use(tools => tools.readSkill(...request), request[1].signal),
    complete: (...request) => use(tools => tools.complete(...request), request[1].signal),
    subscribeResource: (...request) => use(tools => tools.subscribeResource(...request), request[1].signal),
    setLogLevel: (...request) => use(tools => tools.setLogLevel(...request), request[1].signal),
    sendRequest: (...request) => use(tools => tools.sendRequest(...request), request[1].signal),
    reconnect,
    finishAuth: (...request) => use(tools => tools.finishAuth(...request)),
    status: () =>
      loaded?.status() ??
      Object.entries(servers).map(([name, { disabled }]) => ({
        name,
        state: disabled ? ('disabled' as const) : ('idle' as const),
        tools: [],
      })),
    async close() {
      // With a signal, it waits as long as the operations that started before, so that these are ended too.
      if (loading !== undefined) await use(tools => tools.close(), new AbortController().signal);
    },
  };
}
