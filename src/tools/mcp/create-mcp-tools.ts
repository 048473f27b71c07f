import { untilAborted } from '../../core/shared/abort.js';
import { runDetached } from '../../core/shared/async-context.js';
import { type McpServers, toSourceName, validateMcpServers } from './config/config.js';
import { type McpToolsOptions, validateMcpToolsOptions } from './options.js';
import type { McpTools } from './start-mcp-tools.js';

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

  /** Creates a method that starts at once if the module is loaded. `optionsAt` is the index of the options with a signal. */
  const forward =
    (name: Exclude<keyof McpTools, 'name' | 'status' | 'close'>, optionsAt = 1) =>
    async (...given: unknown[]): Promise<never> => {
      const options = given[optionsAt] as { readonly signal?: AbortSignal } | undefined;
      const tools = loaded ?? (await load(options?.signal));
      return (tools[name] as (...request: unknown[]) => Promise<never>)(...given);
    };

  return {
    name: toSourceName(enabled),
    listTools: forward('listTools', 0),
    fingerprints: forward('fingerprints'),
    tools: forward('tools'),
    callTool: forward('callTool'),
    callAppTool: forward('callAppTool'),
    listResources: forward('listResources'),
    listResourceTemplates: forward('listResourceTemplates'),
    readResource: forward('readResource'),
    listPrompts: forward('listPrompts'),
    getPrompt: forward('getPrompt'),
    listSkills: forward('listSkills'),
    readSkill: forward('readSkill'),
    complete: forward('complete'),
    subscribeResource: forward('subscribeResource'),
    setLogLevel: forward('setLogLevel'),
    sendRequest: forward('sendRequest'),
    reconnect: forward('reconnect'),
    finishAuth: forward('finishAuth'),
    status: () =>
      loaded?.status() ??
      Object.entries(servers).map(([name, { disabled }]) => ({
        name,
        state: disabled ? ('disabled' as const) : ('idle' as const),
        tools: [],
      })),
    async close() {
      // With a signal, it waits as long as the operations that started before, so that these are ended too.
      if (loading !== undefined) await (loaded ?? (await load(new AbortController().signal))).close();
    },
  };
}
