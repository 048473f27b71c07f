import type { LanguageModelV2CallOptions, LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import { isStrictSchema } from '../tool-calls/strict-schema.js';
import { isToolStub } from '../tools/tool-stubs.js';
import type { ToolDefinition, ToolSource } from '../tools/tool-source.js';
import { allowedNamesOf, renameAllowedTools } from './allowed-tools.js';
import { knownToolsOf } from './calls.js';
import { createToolFinder, type FindTool, type HostTool, type ToolFinderOptions } from './known-tools.js';
import type { TurnLifetime } from './turn-lifetime.js';

/** The tools of a turn. The list may change between rounds. */
export interface TurnTools {
  /** The tools that the loop offers, by name. */
  readonly offered: ReadonlyMap<string, ToolDefinition>;
  /** Finds the tool of a call by its current name, or a name that it had earlier. */
  readonly find: FindTool;
  /** Returns the loop's tool of a name: the offered one, or one that had the name earlier. */
  get(name: string): ToolDefinition | undefined;
  /** Lists the tools again. */
  refresh(): Promise<void>;
  /** Returns the options of a request with the current tools. */
  applyTo(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions;
}

export interface TurnToolsOptions
  extends
    Pick<LanguageModelV2CallOptions, 'prompt' | 'tools' | 'providerOptions'>,
    Pick<ToolFinderOptions, 'isHostedTool'> {
  readonly source: ToolSource;
  /** Ends when the source is closed. */
  readonly lifetime: Pick<TurnLifetime, 'signal' | 'endWith'>;
  /** Called for each warning, once in a turn. */
  readonly warn: (message: string) => void;
}

/** Lists the tools of a turn. */
export async function openTurnTools({
  source,
  lifetime,
  prompt,
  tools: declared = [],
  providerOptions,
  isHostedTool,
  warn,
}: TurnToolsOptions): Promise<TurnTools> {
  const { signal } = lifetime;
  const known = knownToolsOf(prompt);
  // A host declares the loop's tools as stubs. The model needs their real schemas, and only while they are available.
  const ownTools = declared.filter(tool => !isStub(tool));
  const ownNames = new Set(ownTools.map(({ name }) => name));
  const allowed = allowedNamesOf(providerOptions);
  const warned = new Set<string>();
  let current: Required<Omit<ToolFinderOptions, 'isHostedTool'>> = {
    loopTools: new Map(),
    aliases: new Map(),
    hostTools: [],
  };
  let find: FindTool;

  const warnOnce = (message: string): void => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };

  async function refresh(): Promise<void> {
    const listing = await untilAborted(source.listTools({ signal, known }), signal);
    lifetime.endWith(listing.closed ?? []);
    signal.throwIfAborted();
    const listed = new Map(listing.tools.map(tool => [tool.name, tool]));
    // Keeps the order, because servers cache the beginning of a request.
    const kept = [...current.loopTools.keys()].flatMap(name => listed.get(name) ?? []);
    const loopTools = new Map([...kept, ...listing.tools].map(tool => [tool.name, tool]));
    const isAlias = (name: string): boolean => !loopTools.has(name) && !ownNames.has(name);
    current = {
      loopTools,
      aliases: new Map([...(listing.aliases ?? [])].filter(([name]) => isAlias(name))),
      hostTools: ownTools.filter(tool => !loopTools.has(tool.name)),
    };
    find = createToolFinder({ ...current, isHostedTool });
    for (const message of [...listing.warnings, ...shadowWarnings(ownTools, loopTools)]) warnOnce(message);
  }

  const toCurrentName = (name: string): string => current.aliases.get(name)?.name ?? name;

  /** Returns true if the call may use a tool of the loop. */
  const isAllowed = (name: string): boolean =>
    allowed === undefined || allowed.some(other => toCurrentName(other) === name);

  await refresh();
  return {
    get offered() {
      return current.loopTools;
    },
    find(call) {
      const found = find(call);
      if (found.owner !== 'loop' || isAllowed(found.toolName)) return found;
      const reason =
        `The tool ${JSON.stringify(found.toolName)} is not allowed in this call. ` +
        `Allowed tools: ${(allowed ?? []).map(toCurrentName).join(', ')}.`;
      return { owner: 'nobody', toolName: found.toolName, reason };
    },
    get: name => current.loopTools.get(name) ?? current.aliases.get(name),
    refresh,
    applyTo({ tools: _, toolChoice, ...options }) {
      const tools = [...current.hostTools, ...[...current.loopTools.values()].map(toFunctionTool)];
      const renamed = toolChoice?.type === 'tool' ? current.aliases.get(toolChoice.toolName) : undefined;
      return {
        ...renameAllowedTools(options, toCurrentName),
        ...(toolChoice && { toolChoice: renamed ? { type: 'tool', toolName: renamed.name } : toolChoice }),
        ...(tools.length > 0 && { tools }),
      };
    },
  };
}

const isStub = (tool: HostTool): boolean => tool.type === 'function' && isToolStub(tool);

/** Reports the host's own tools that a tool of the loop hides. */
function shadowWarnings(
  hostTools: readonly HostTool[],
  loopTools: ReadonlyMap<string, ToolDefinition>,
): string[] {
  return hostTools.flatMap(({ name }) => {
    const hiding = loopTools.get(name);
    if (hiding === undefined) return [];
    const owner = hiding.server === undefined ? 'the tool loop' : `the MCP server "${hiding.server}"`;
    return [
      `The tool "${name}" of the call is not used, because ${owner} has a tool of the same name, which runs instead. ` +
        'Rename one of them.',
    ];
  });
}

const toFunctionTool = ({
  name,
  description,
  inputSchema,
  providerOptions,
}: ToolDefinition): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  inputSchema,
  ...(providerOptions !== undefined && { providerOptions }),
  // A host's request for strict schemas does not apply to the loop's tools. `ai@6` has the field, V2 does not.
  ...(!isStrictSchema(inputSchema) && { strict: false }),
});
