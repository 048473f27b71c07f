import type { McpTools } from 'kelivo-responses/mcp';

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

/** Starts each server and counts its tools. */
export async function inspectServers(
  tools: McpTools,
  { signal }: { signal: AbortSignal },
): Promise<Inspection> {
  const { warnings } = await tools.listTools({ signal });
  const servers = tools
    .status()
    .filter(({ state }) => state !== 'disabled')
    .map(({ name, tools: { length }, error }) => ({ name, toolCount: length, problem: error?.message }));
  return { servers, notes: warnings.filter(text => !servers.some(({ problem }) => problem === text)) };
}
