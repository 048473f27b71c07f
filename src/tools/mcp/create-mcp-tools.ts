import type { KelivoError } from '../../shared/errors.js';
import type { ToolDefinition, ToolListing, ToolOutput, ToolSource } from '../tool-source.js';
import { callTool } from './call-tool.js';
import { type McpServerConfig, type McpServers, validateMcpServers } from './config.js';
import type { McpConnection } from './connection.js';
import { createMcpConnectionPool } from './connection-pool.js';
import type { McpConnectionState } from './current-session.js';
import { toMcpError } from './errors.js';
import type { ServerTools } from './list-tools.js';
import { type McpToolsOptions, validateMcpToolsOptions } from './options.js';
import { createToolNames } from './tool-names.js';

/** The tools of MCP servers. */
export interface McpTools extends ToolSource {
  /** Returns the status of each server, in the order of the configuration. Starts nothing. */
  status(): McpServerStatus[];
}

/** Status of one server. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpConnectionState | 'disabled';
  /** The reason why its tools were missing from the last list. Its `code` starts with `mcp-`. */
  readonly error?: KelivoError;
  /** The names under which its tools were last offered. */
  readonly tools: readonly string[];
}

/** Maximum number of warnings for one listing of one server. Hosts print every warning. */
const maxWarnings = 20;

interface Server {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
  /** Problems that were already reported. Hosts print the warnings of every call, so each is returned only once. */
  readonly reported: Set<string>;
  /** Offered names of the last listing. */
  offered: readonly string[];
  error?: KelivoError;
}

interface Route {
  readonly server: Server;
  /** The tool under the server's own name. */
  readonly tool: ToolDefinition;
}

/**
 * Offers the tools of MCP servers. Nothing starts before the first list or call. Servers connect in parallel, and if
 * one fails, only its tools are missing.
 *
 * A tool keeps its name. If two servers offer the same name, the later tool is called `<server>_<tool>`. At most 1,000
 * tools per server are used, and descriptions are truncated after 10,000 characters. `close()` ends the connections,
 * except those of a shared `pool`.
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
  const {
    pool: sharedPool,
    timeout = 60_000,
    totalTimeout = 600_000,
    expandVariables,
    ...poolOptions
  } = validateMcpToolsOptions(options);
  const pool = sharedPool ?? createMcpConnectionPool(poolOptions);
  const configs = Object.entries(validateMcpServers(mcpServers, { expandVariables }));
  const servers = configs
    .filter(([, config]) => !config.disabled)
    .map(([name, config]): Server => ({
      name,
      config,
      connection: pool.connectionTo(config, { serverName: name }),
      reported: new Set(),
      offered: [],
    }));
  const names = createToolNames();
  const routes = new Map<string, Route>();

  async function listTools({ signal }: { signal?: AbortSignal } = {}): Promise<ToolListing> {
    signal?.throwIfAborted();
    const listings = await Promise.all(servers.map(server => listServer(server, { signal })));
    return {
      tools: listings.flatMap(({ tools }, index) => offer(tools, servers[index])),
      warnings: listings.flatMap(({ warnings }) => warnings),
    };
  }

  function offer(tools: readonly ToolDefinition[], server: Server | undefined): ToolDefinition[] {
    if (!server) return [];
    const offered = tools.map(tool => {
      const name = names.toOfferedName(server.name, tool.name);
      routes.set(name, { server, tool });
      return { ...tool, name };
    });
    server.offered = offered.map(({ name }) => name);
    return offered;
  }

  return {
    name: toSourceName(servers),
    listTools,
    async callTool({ toolName, input }, { signal, onProgress }): Promise<ToolOutput> {
      signal.throwIfAborted();
      if (!routes.has(toolName)) await listTools({ signal });
      const route = routes.get(toolName);
      if (!route)
        return { type: 'error-text', value: `No MCP server offers a tool ${JSON.stringify(toolName)}.` };

      const { connection, config, name } = route.server;
      return callTool(
        connection,
        { serverName: name, config, tool: route.tool, input },
        { signal, onProgress, timeout: config.timeout ?? timeout, totalTimeout },
      );
    },
    async close() {
      if (!sharedPool) await pool.close();
    },
    status: () =>
      configs.map(([name]) =>
        toStatus(
          name,
          servers.find(server => server.name === name),
        ),
      ),
  };
}

async function listServer(server: Server, { signal }: { signal?: AbortSignal }): Promise<ToolListing> {
  const { name, config, connection } = server;
  try {
    const listed = await connection.listTools({ signal });
    server.error = undefined;
    const problems = limitProblems(findProblems(config, listed)).filter(text => !server.reported.has(text));
    for (const problem of problems) server.reported.add(problem);
    return {
      tools: listed.tools.filter(tool => isOffered(tool.name, config)),
      warnings: problems.map(problem => `MCP server ${JSON.stringify(name)} ${problem}.`),
    };
  } catch (error) {
    signal?.throwIfAborted();
    server.error = toMcpError(error, { serverName: name, config });
    server.offered = [];
    return { tools: [], warnings: [server.error.message] };
  }
}

function isOffered(toolName: string, { allowedTools, disabledTools }: McpServerConfig): boolean {
  return allowedTools?.includes(toolName) !== false && disabledTools?.includes(toolName) !== true;
}

/** Returns a clause for each configured tool that is missing. The clause follows the server's name. */
function findProblems(config: McpServerConfig, { tools, problems }: ServerTools): string[] {
  const named = new Set([...tools.map(({ name }) => name), ...problems.map(({ toolName }) => toolName)]);
  const unknown = (config.allowedTools ?? []).filter(name => !named.has(name));
  return [
    ...problems
      .filter(({ toolName }) => toolName === undefined || isOffered(toolName, config))
      .map(({ text }) => text),
    ...unknown.map(name => `does not offer the tool ${JSON.stringify(name)} from its \`allowedTools\``),
  ];
}

function limitProblems(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxWarnings) return problems;
  return [
    ...problems.slice(0, maxWarnings),
    `has ${problems.length - maxWarnings} more malformed or missing tools`,
  ];
}

function toStatus(name: string, server: Server | undefined): McpServerStatus {
  if (!server) return { name, state: 'disabled', tools: [] };
  const { connection, error, offered } = server;
  return { name, state: connection.state, error, tools: offered };
}

function toSourceName(servers: readonly Server[]): string {
  const names = servers.map(({ name }) => JSON.stringify(name)).join(', ');
  return servers.length === 1 ? `MCP server ${names}` : `MCP servers ${names || '(none)'}`;
}
