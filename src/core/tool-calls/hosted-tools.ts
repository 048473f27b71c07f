import { objectOf, stringOf } from '../shared/json.js';

/** Identifies the calls of a hosted tool in a history. */
export interface HostedCallNames {
  /** Tool names, of this package and of the official provider. A name that ends with `.` is a prefix. */
  readonly toolNames: readonly string[];
  /** Prefixes of item ids, without the underscore. */
  readonly idPrefixes: readonly string[];
}

/**
 * The hosted tools of the Responses API. The API executes their calls on its servers. They are not functions, so they
 * cannot be sent back as a function call with an output. The tool loop needs the names for models of any provider.
 */
export const hostedCallNames = {
  codeInterpreter: { toolNames: ['code_interpreter'], idPrefixes: ['ci'] },
  computer: { toolNames: ['computer_use'], idPrefixes: ['cu'] },
  fileSearch: { toolNames: ['file_search'], idPrefixes: ['fs'] },
  imageGeneration: { toolNames: ['image_generation'], idPrefixes: ['ig'] },
  // The ids of its calls look like those of functions.
  localShell: { toolNames: ['local_shell'], idPrefixes: [] },
  // Later versions of the official provider name hosted MCP calls `mcp.<tool>`.
  mcp: { toolNames: ['mcp', 'mcp_list_tools', 'mcp.'], idPrefixes: ['mcp', 'mcpl'] },
  mcpApproval: { toolNames: ['mcp_approval_request'], idPrefixes: ['mcpr'] },
  programmaticToolCalling: { toolNames: ['programmatic_tool_calling'], idPrefixes: ['cm', 'cmo'] },
  shell: { toolNames: [], idPrefixes: ['sh', 'sho'] },
  toolSearch: { toolNames: ['tool_search'], idPrefixes: ['tsc', 'tso'] },
  webSearch: { toolNames: ['web_search', 'web_search_preview'], idPrefixes: ['ws'] },
} satisfies Record<string, HostedCallNames>;

/** A call or result in a history. */
export interface HistoryPart {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly providerOptions?: unknown;
}

/**
 * Returns the tool of a provider-executed call or result in a history. The host may have declared the tool under any name,
 * or not at all.
 *
 * An MCP server may offer a tool with the same name, for example `web_search`. The ids distinguish them: ids of
 * function calls begin with `call_`, and a hosted call has the id of its item, such as `ws_…`, or names it in its metadata.
 */
export function findHostedTool<Tool extends { readonly history?: HostedCallNames }>(
  tools: readonly Tool[],
  part: HistoryPart,
): Tool | undefined {
  const findById = (id: string) =>
    tools.find(tool => tool.history?.idPrefixes.some(prefix => id.startsWith(`${prefix}_`)));
  const byId =
    findById(stringOf(objectOf(objectOf(part.providerOptions)?.openai)?.itemId)) ?? findById(part.toolCallId);
  if (byId !== undefined || part.toolCallId.startsWith('call_')) return byId;
  return tools.find(tool =>
    tool.history?.toolNames.some(name =>
      name.endsWith('.') ? part.toolName.startsWith(name) : part.toolName === name,
    ),
  );
}

const hostedTools = Object.values(hostedCallNames).map(history => ({ history }));

/** Returns true if a provider-executed call or result in a history belongs to a hosted tool. */
export const isHostedToolPart = (part: HistoryPart): boolean =>
  findHostedTool(hostedTools, part) !== undefined;
