import type { KelivoError } from '../../shared/errors.js';
import type { ToolDefinition, ToolListing, ToolOutput, ToolSource } from '../tool-source.js';
import { callTool } from './call-tool.js';
import type { McpConnection, McpConnectionState } from './connection.js';
import { createMcpConnectionPool } from './connection-pool.js';
import type { ServerTools } from './list-tools.js';
import type { McpServerConfig, McpServers } from './config.js';
import type { McpToolsOptions } from './options.js';
import { toMcpError } from './errors.js';
import { createToolNames } from './tool-names.js';
import { validateMcpToolsOptions } from './options.js';
import { validateMcpServers } from './config.js';

/** The tools of MCP servers. */
export interface McpTools extends ToolSource {
  /** How each server is doing, in the order of the configuration. Starts nothing. */
  status(): McpServerStatus[];
}

/** How one server is doing. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpConnectionState | 'disabled';
  /** Why its tools were missing from the last list; its `code` begins with `mcp-`. */
  readonly error?: KelivoError;
  /** The names under which its tools were last offered. */
  readonly tools: readonly string[];
}

/** How much is told of one listing of one server: a host prints every warning. */
const maxWarnings = 20;

interface Server {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
  /** What has been said of its list. A host prints every warning of every call, so each is given once. */
  readonly told: Set<string>;
  /** The last listing. */
  offered: readonly string[];
  error?: KelivoError;
}

interface Route {
  readonly server: Server;
  /** The tool under the server's own name. */
  readonly tool: ToolDefinition;
}

/**
 * Offers the tools of MCP servers. Nothing starts before the first list or call; servers connect together,
 * and one that fails costs its own tools only.
 *
 * A tool keeps its name; when two servers offer the same one, the later is called `<server>_<tool>`. Of what a server
 * offers, at most 1,000 tools are taken, and descriptions are cut after 10,000 characters.
 * `close()` ends the connections, except those of a shared `pool`, which belong to the pool.
 *
 * @param mcpServers The `mcpServers` object of a Claude Desktop, Cursor or VS Code file.
 * @throws KelivoError `invalid-settings` when it is wrong.
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
      told: new Set(),
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
    const warnings = toFew(findProblems(config, listed)).filter(problem => !server.told.has(problem));
    for (const problem of warnings) server.told.add(problem);
    return {
      tools: listed.tools.filter(tool => isOffered(tool.name, config)),
      warnings: warnings.map(problem => `MCP server ${JSON.stringify(name)} ${problem}.`),
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

/** What is missing of the tools that the configuration lets through, each as a clause that follows the server's name. */
function findProblems(config: McpServerConfig, { tools, problems }: ServerTools): string[] {
  const named = new Set([...tools.map(({ name }) => name), ...problems.map(({ toolName }) => toolName)]);
  const unknown = (config.allowedTools ?? []).filter(name => !named.has(name));
  return [
    ...problems
      .filter(({ toolName }) => toolName === undefined || isOffered(toolName, config))
      .map(({ text }) => text),
    ...unknown.map(name => `offers no tool ${JSON.stringify(name)}, which its \`allowedTools\` name`),
  ];
}

function toFew(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxWarnings) return problems;
  return [
    ...problems.slice(0, maxWarnings),
    `has ${problems.length - maxWarnings} more faulty or missing tools`,
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
