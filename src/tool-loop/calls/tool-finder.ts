import type { Tool } from '../../core/prompt.js';
import { nearestName } from '../../shared/names.js';
import { isHostedToolPart } from '../../tool-calls/hosted-tools.js';
import { normalizeToolName } from '../../tool-calls/tool-names.js';
import type { ToolDefinition } from '../../tools/tool-source.js';

/** Who answers a call, and the current name of its tool. */
type CallOwner =
  | { readonly owner: 'loop'; readonly toolName: string; readonly tool: ToolDefinition }
  | { readonly owner: 'host'; readonly toolName: string; readonly tool: Tool | undefined }
  /** No tool has this name. `reason` is the text for the model, with the tools that exist. */
  | { readonly owner: 'nobody'; readonly toolName: string; readonly reason: string };

/** Finds the tool that a model means by a name. */
export type FindTool = (call: { readonly toolName: string; readonly toolCallId: string }) => CallOwner;

export interface ToolFinderOptions {
  readonly loopTools: ReadonlyMap<string, ToolDefinition>;
  /** Further names of the loop's tools. A name without a tool belongs to one that is not available. @default none */
  readonly aliases?: ReadonlyMap<string, ToolDefinition | undefined>;
  /** The tools of the host that no tool of the loop hides. */
  readonly hostTools: readonly Tool[];
}

export function createToolFinder({ loopTools, aliases = new Map(), hostTools }: ToolFinderOptions): FindTool {
  const hostToolsByName = new Map(hostTools.map(tool => [tool.name, tool]));
  const names = new Set([...loopTools.keys(), ...hostToolsByName.keys()]);
  // A name that belongs to an unavailable tool must not be matched with another one.
  const allNames = new Set([...names, ...aliases.keys()]);

  return ({ toolName: name, toolCallId }) => {
    const toolName = allNames.has(name) ? name : (normalizeToolName(name, allNames) ?? name);
    const loopTool = loopTools.get(toolName) ?? aliases.get(toolName);
    // Approvals and stubs refer to a tool by its current name.
    if (loopTool !== undefined) return { owner: 'loop', toolName: loopTool.name, tool: loopTool };
    const hostTool = hostToolsByName.get(toolName);
    // Hosted tools of the model need not be declared.
    if (hostTool !== undefined || isHostedToolPart({ toolName, toolCallId })) {
      return { owner: 'host', toolName, tool: hostTool };
    }
    return { owner: 'nobody', toolName, reason: toUnknownToolText(name, [...names]) };
  };
}

/** Maximum number of names in a reason. */
const MAX_NAMES = 50;

function toUnknownToolText(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [
    `There is no tool ${JSON.stringify(name)}.`,
    ...(nearest === undefined ? [] : [`Did you mean ${JSON.stringify(nearest)}?`]),
    names.length === 0
      ? 'There are no tools.'
      : `Available tools: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`,
  ].join(' ');
}
