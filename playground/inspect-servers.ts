import type { McpServers } from 'kelivo-responses';
import { createMcpTools } from 'kelivo-responses/mcp';

/** How an MCP server answered when it was asked for its tools. */
export interface InspectedServer {
  readonly name: string;
  readonly toolCount: number;
  /** Why it has no tools to offer. */
  readonly problem?: string;
}

export interface Inspection {
  /** Those that are not disabled, in the order of the configuration. */
  readonly servers: readonly InspectedServer[];
  /** What servers that work do not offer after all, and why. */
  readonly notes: readonly string[];
}

/**
 * Starts each server, counts its tools and ends it again. A provider tells which tools there are, not whose they are,
 * so the demo looks for itself.
 */
export async function inspectServers(
  mcpServers: McpServers,
  { signal }: { signal: AbortSignal },
): Promise<Inspection> {
  const tools = createMcpTools(mcpServers);
  try {
    const { warnings } = await tools.listTools({ signal });
    const servers = tools
      .status()
      .filter(({ state }) => state !== 'disabled')
      .map(({ name, tools: { length }, error }) => ({ name, toolCount: length, problem: error?.message }));
    return { servers, notes: warnings.filter(text => !servers.some(({ problem }) => problem === text)) };
  } finally {
    await tools.close();
  }
}
