import type { CoreCall } from '../../core/call.js';
import type { FunctionTool, Prompt, Tool } from '../../core/prompt.js';
import { untilAborted } from '../../shared/abort.js';
import { objectOf } from '../../shared/json.js';
import { nearestName } from '../../shared/names.js';
import { isHostedToolPart } from '../../tool-calls/hosted-tools.js';
import { isStrictSchema } from '../../tool-calls/strict-schema.js';
import { normalizeToolName } from '../../tool-calls/tool-names.js';
import type { KnownTool, ToolDefinition, ToolListing, ToolSource } from '../../tools/tool-source.js';
import { isToolStub } from '../../tools/tool-stubs.js';
import { fromListingRecord, toContents, toListingRecord } from '../durable/recorded-rounds.js';
import type { Steps } from '../durable/steps.js';
import type { TurnLifetime } from './turn-limits.js';

/** The tools of a turn. The list may change between rounds. */
export interface TurnTools {
  /** The tools that the loop offers, by name. */
  readonly offered: ReadonlyMap<string, ToolDefinition>;
  /** Finds the tool of a call by its current name, or a name that it had earlier. */
  readonly find: FindTool;
  /** Returns the loop's tool of a name: the offered one, or one that had the name earlier. */
  get(name: string): ToolDefinition | undefined;
  /** Lists the tools again. Returns the listing if it differs from the one before. */
  refresh(): Promise<ToolListing | undefined>;
  /** Uses the listing of a recorded round. */
  restore(listing: ToolListing): void;
  /** Lists the tools if this process has not done so: a source may be unable to run a tool that it has not listed. */
  connect(): Promise<void>;
  /** Returns a call with the current tools. */
  applyTo(call: CoreCall): CoreCall;
}

export interface TurnToolsOptions {
  readonly source: ToolSource;
  readonly steps: Steps;
  /** Ends when the source is closed. */
  readonly lifetime: Pick<TurnLifetime, 'signal' | 'endWith'>;
  /** Called for each warning, once in a turn. */
  readonly warn: (message: string) => void;
}

/** Lists the tools of a turn. */
export async function openTurnTools(
  call: CoreCall,
  { source, steps, lifetime, warn }: TurnToolsOptions,
): Promise<TurnTools> {
  const { tools: declared = [] } = call;
  const { signal } = lifetime;
  const known = knownToolsOf(call.prompt);
  // A host declares the loop's tools as stubs. The model needs their real schemas, and only while they are available.
  const ownTools = declared.filter(tool => !isStub(tool));
  const ownNames = new Set(ownTools.map(({ name }) => name));
  const allowed = allowedNamesOf(call);
  const warned = new Set<string>();
  let current: Required<ToolFinderOptions> = {
    loopTools: new Map(),
    aliases: new Map(),
    hostTools: [],
  };
  let find: FindTool;
  /** The contents of the current listing, if rounds are recorded. */
  let lastContents: string | undefined;

  const warnOnce = (message: string): void => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };

  /** The listing of this process. */
  let listed: Promise<ToolListing> | undefined;

  async function list(): Promise<ToolListing> {
    listed = untilAborted(source.listTools({ signal, known }), signal);
    const listing = await listed;
    lifetime.endWith(listing.closed ?? []);
    signal.throwIfAborted();
    return listing;
  }

  function apply({ tools, aliases = new Map(), warnings }: ToolListing): void {
    const byName = new Map(tools.map(tool => [tool.name, tool]));
    // Keeps the order, because servers cache the beginning of a request.
    const kept = [...current.loopTools.keys()].flatMap(name => byName.get(name) ?? []);
    const loopTools = new Map([...kept, ...tools].map(tool => [tool.name, tool]));
    const isAlias = (name: string): boolean => !loopTools.has(name) && !ownNames.has(name);
    current = {
      loopTools,
      aliases: new Map([...aliases].filter(([name]) => isAlias(name))),
      hostTools: ownTools.filter(tool => !loopTools.has(tool.name)),
    };
    find = createToolFinder(current);
    for (const message of [...warnings, ...shadowWarnings(ownTools, loopTools)]) warnOnce(message);
  }

  async function refresh(): Promise<ToolListing | undefined> {
    const listing = await list();
    apply(listing);
    if (!steps.isDurable) return undefined;
    const contents = toContents(listing);
    const isSame = contents === lastContents;
    lastContents = contents;
    return isSame ? undefined : listing;
  }

  const connect = async (): Promise<void> => {
    if (listed === undefined) await list();
  };

  /** Uses a recorded listing. Its tools ask the tools of this process whether a call needs approval. */
  function restore(listing: ToolListing): void {
    lastContents = toContents(listing);
    const withFunctions = (tool: ToolDefinition): ToolDefinition => {
      if (tool.needsApproval === undefined) return tool;
      return {
        ...tool,
        async needsApproval(call, callOptions) {
          await connect();
          const live = (await listed)?.tools.find(other => isSameTool(other, tool));
          return live?.needsApproval?.(call, callOptions) ?? true;
        },
      };
    };
    apply({
      ...listing,
      tools: listing.tools.map(withFunctions),
      aliases: new Map(
        [...(listing.aliases ?? [])].map(([name, tool]) => [name, tool && withFunctions(tool)]),
      ),
    });
  }

  const toCurrentName = (name: string): string => current.aliases.get(name)?.name ?? name;

  /** Returns true if the call may use a tool of the loop. */
  const isAllowed = (name: string): boolean =>
    allowed === undefined || allowed.some(other => toCurrentName(other) === name);

  const opened = await steps.step('tools', list, { encode: toListingRecord, decode: fromListingRecord });
  if (opened.isReplayed) {
    restore(opened.value);
  } else {
    apply(opened.value);
    if (steps.isDurable) lastContents = toContents(opened.value);
  }
  return {
    get offered() {
      return current.loopTools;
    },
    find(named) {
      const found = find(named);
      if (found.owner !== 'loop' || isAllowed(found.toolName)) return found;
      const reason =
        `The tool ${JSON.stringify(found.toolName)} is not allowed in this call. ` +
        `Allowed tools: ${(allowed ?? []).map(toCurrentName).join(', ')}.`;
      return { owner: 'nobody', toolName: found.toolName, reason };
    },
    get: name => current.loopTools.get(name) ?? current.aliases.get(name),
    refresh,
    restore,
    connect,
    applyTo({ tools: _, toolChoice, ...request }) {
      const tools = [...current.hostTools, ...[...current.loopTools.values()].map(toFunctionTool)];
      const renamed = toolChoice?.type === 'tool' ? current.aliases.get(toolChoice.toolName) : undefined;
      return {
        ...renameAllowedTools(request, toCurrentName),
        ...(toolChoice && { toolChoice: renamed ? { type: 'tool', toolName: renamed.name } : toolChoice }),
        ...(tools.length > 0 && { tools }),
      };
    },
  };
}

/** Returns what the names of a conversation's calls refer to, from their facts. */
function knownToolsOf(prompt: Prompt): KnownTool[] {
  const known = new Map<string, KnownTool>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      if (part.type !== 'tool-call' || part.own?.tool === undefined) continue;
      const { server, name: originalName } = part.own.tool;
      known.set(part.toolName, { name: part.toolName, server, originalName });
    }
  }
  return [...known.values()];
}

const isSameTool = (a: ToolDefinition, b: ToolDefinition): boolean =>
  a.server === b.server && (a.originalName ?? a.name) === (b.originalName ?? b.name);

const isStub = (tool: Tool): boolean => tool.type === 'function' && isToolStub(tool);

/** Reports the host's own tools that a tool of the loop hides. */
function shadowWarnings(
  hostTools: readonly Tool[],
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
}: ToolDefinition): FunctionTool => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  inputSchema,
  ...(providerOptions !== undefined && { providerOptions }),
  // A host's request for strict schemas does not apply to the loop's tools.
  ...(!isStrictSchema(inputSchema) && { strict: false }),
});

/** Who answers a call, and the current name of its tool. */
type CallOwner =
  | { readonly owner: 'loop'; readonly toolName: string; readonly tool: ToolDefinition }
  | { readonly owner: 'host'; readonly toolName: string; readonly tool: Tool | undefined }
  /** No tool has this name. `reason` is the text for the model, with the tools that exist. */
  | { readonly owner: 'nobody'; readonly toolName: string; readonly reason: string };

/** Finds the tool that a model means by a name. */
export type FindTool = (call: { readonly toolName: string; readonly toolCallId: string }) => CallOwner;

interface ToolFinderOptions {
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

/** Namespaces of other providers that may contain the option `allowedTools`. */
const NAMESPACES = ['openai', 'azure'] as const;

/**
 * Returns the names of the tools to which a call is restricted (`providerOptions.openai.allowedTools`). Undefined without
 * a restriction. Servers other than OpenAI's may ignore it, so the loop applies it, too. The loop does not know which
 * namespace its model reads: if several contain the option, a tool has to be allowed by all of them.
 */
function allowedNamesOf({
  own,
  providerOptions,
}: Pick<CoreCall, 'own' | 'providerOptions'>): readonly string[] | undefined {
  const options = [own, ...NAMESPACES.map(namespace => providerOptions?.[namespace])];
  const lists = options.map(values => objectOf(values?.allowedTools)?.toolNames).filter(Array.isArray);
  return lists.length === 0
    ? undefined
    : lists[0]?.map(String).filter(name => lists.every(names => names.map(String).includes(name)));
}

/** Changes the names of the tools to which a call is restricted. */
function renameAllowedTools<Call extends Pick<CoreCall, 'own' | 'providerOptions'>>(
  call: Call,
  rename: (name: string) => string,
): Call {
  if (allowedNamesOf(call) === undefined) return call;
  const renameIn = <Values extends Readonly<Record<string, unknown>>>(values: Values): Values => {
    const allowedTools = objectOf(values.allowedTools);
    if (!Array.isArray(allowedTools?.toolNames)) return values;
    const toolNames = allowedTools.toolNames.map(name => rename(String(name)));
    return { ...values, allowedTools: { ...allowedTools, toolNames } };
  };
  const providerOptions = Object.entries(call.providerOptions ?? {}).map(([namespace, values]) => [
    namespace,
    NAMESPACES.some(known => known === namespace) ? renameIn(values) : values,
  ]);
  return { ...call, own: renameIn(call.own), providerOptions: Object.fromEntries(providerOptions) };
}
