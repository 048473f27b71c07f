import type { ToolSource } from '../tool-source.js';
import { findServer } from './features/find-server.js';
import type { McpServerStatus, McpTools } from './start-mcp-tools.js';

/** Opens one MCP server again, or all. */
export type ReconnectServers = McpTools['reconnect'];

type ServerSource = Pick<McpTools, 'reconnect' | 'status'>;

/** Sources of other copies of this package have no common class. */
const isServerSource = (source: ToolSource): source is ToolSource & ServerSource =>
  ['reconnect', 'status'].every(
    name => typeof (source as unknown as Record<string, unknown>)[name] === 'function',
  );

/** Creates the function that opens the servers of several sources again. The first source with a name owns it. */
export function reconnectServersOf(sources: readonly ToolSource[]): ReconnectServers {
  const owners = sources.filter(isServerSource);

  function reconnect(name: string): Promise<McpServerStatus>;
  function reconnect(): Promise<McpServerStatus[]>;
  async function reconnect(name?: string): Promise<McpServerStatus | McpServerStatus[]> {
    if (name === undefined) return (await Promise.all(owners.map(owner => owner.reconnect()))).flat();
    const servers = owners.flatMap(owner =>
      owner
        .status()
        .filter(status => status.state !== 'disabled')
        .map(server => ({ name: server.name, owner })),
    );
    return findServer(servers, name).owner.reconnect(name);
  }
  return reconnect;
}
