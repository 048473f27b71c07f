import type { CoreCall } from '../../core/call.js';
import type { Prompt, Tool, ToolChoice } from '../../core/prompt.js';
import { messageOf } from '../../core/shared/errors.js';
import { untilAborted } from '../../core/shared/abort.js';
import { objectOf } from '../../core/shared/json.js';
import { isSameList } from '../../tools/toolbox.js';
import type {
  KnownTool,
  ListToolsOptions,
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolListing,
  ToolOutput,
  ToolSource,
} from '../../tools/tool-source.js';
import { isStepTool } from '../../tools/step-tools.js';
import { isToolStub, toFunctionTool } from '../../tools/tool-stubs.js';
import { createToolFinder, type FindTool, type ToolFinderOptions } from '../calls/host-calls.js';
import { BuiltInTools, type CreateBuiltIn } from '../context/built-in-tools.js';
import { fromListingRecord, toContents, toListingRecord } from '../durable/recorded-rounds.js';
import type { Steps } from '../durable/steps.js';
import type { TurnFeature } from '../features/feature.js';
import type { TurnLifetime } from './lifetime.js';

/** The tools of a turn. The list may change between rounds. */
export type TurnTools = Awaited<ReturnType<typeof openTurnTools>>;

interface TurnToolsOptions {
  readonly source: ToolSource;
  readonly steps: Steps;
  readonly features: readonly TurnFeature[];
  /** Tools that the loop itself provides. */
  readonly builtIn: readonly CreateBuiltIn[];
  /** Ends when the source is closed. */
  readonly lifetime: Pick<TurnLifetime, 'signal' | 'endWith'>;
  /** Called for each warning, once in a turn. */
  readonly warn: (message: string) => void;
}

/** Lists the tools of a turn. */
export async function openTurnTools(
  call: CoreCall,
  { source, steps, lifetime, warn, features, builtIn: creators }: TurnToolsOptions,
) {
  let ownTools = toOwnTools(call.tools);
  let ownNames = new Set(ownTools.map(tool => tool.name));
  const allowed = allowedNamesOf(call);
  const required = [...(allowed ?? []), ...forcedBy(call.toolChoice)];
  const builtIn = new BuiltInTools(creators);
  const selection = features.find(feature => feature.selection !== undefined)?.selection;
  const warned = new Set<string>();
  let current: Required<ToolFinderOptions> = {
    loopTools: new Map(),
    aliases: new Map(),
    hostTools: [],
  };
  /** Names of this process for tools that have other names now. Only these count for options of the application. */
  let ownAliases: NonNullable<ToolFinderOptions['aliases']> = new Map();
  let find: FindTool;

  const warnOnce = (message: string): void => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };

  /** The tools and the names of the newest listing. */
  let applied: readonly unknown[] | undefined;

  /** Uses a listing. One that has not changed is not read again. */
  function apply(listing: ToolListing): void {
    // An application may change the array that its source returns.
    const contents = [listing.aliases, listing.meanings, ...listing.tools];
    if (applied === undefined || !isSameList(contents, applied)) applyTools(listing);
    applied = contents;
    for (const message of listing.warnings) warnOnce(message);
  }

  function applyTools({ tools, aliases = new Map(), meanings = new Map() }: ToolListing): void {
    const byName = byNameOf(tools);
    // Keeps the order, because servers cache the beginning of a request.
    const kept = [...current.loopTools.keys()].flatMap(name => byName.get(name) ?? []);
    const loopTools = byNameOf([...kept, ...tools]);
    const isAlias = (name: string): boolean => !loopTools.has(name) && !ownNames.has(name);
    current = {
      loopTools,
      aliases: new Map([...aliases, ...meanings].filter(([name]) => isAlias(name))),
      hostTools: ownTools.filter(tool => !loopTools.has(tool.name)),
    };
    ownAliases = new Map([...aliases].filter(([name]) => isAlias(name)));
    const runnable = builtIn.update(loopTools, ownNames, selection?.update(loopTools));
    find = createToolFinder({ ...current, loopTools: runnable });
    for (const message of shadowWarnings(ownTools, loopTools)) warnOnce(message);
  }

  /** Returns the current name of a tool that the application names. */
  const toCurrentName = (name: string): string => ownAliases.get(name)?.name ?? name;
  /** Returns the current name of a tool that the conversation names. */
  const toMeantName = (name: string): string => current.aliases.get(name)?.name ?? name;

  /** The names of the active tools. */
  let active: readonly string[] | undefined;

  const { open, refresh, restore, connect } = createListings(
    source,
    { known: knownToolsOf(call.prompt), reserved: [...ownNames] },
    { steps, lifetime, warn: warnOnce },
    apply,
  );
  const isReplayed = await open();
  return {
    /** True if the first listing was read from a record: an earlier attempt has begun the turn. */
    isReplayed,
    /** Finds the tool of a call by its current name, or a name that it had earlier. */
    find(named: Parameters<FindTool>[0]): ReturnType<FindTool> {
      const found = find(named);
      const { owner, toolName } = found;
      if (named.toolName !== toolName && selection?.isKnown(toolName) === false) {
        const reason = `The tool ${JSON.stringify(named.toolName)} is not loaded. Search for it first.`;
        return { owner: 'nobody', toolName, reason };
      }
      if (owner === 'nobody') return found;
      // Servers apply `allowedTools` to the tools of the host.
      for (const restriction of [active, owner === 'loop' ? allowed : undefined]) {
        const names = restriction && new Set(restriction.map(toCurrentName));
        if (names === undefined || names.has(toolName)) continue;
        const list = names.size === 0 ? 'none' : [...names].join(', ');
        const reason = `The tool ${JSON.stringify(toolName)} is not allowed in this call. Allowed tools: ${list}.`;
        return { owner: 'nobody', toolName, reason };
      }
      return found;
    },
    /** The host declares other tools from the next listing on. */
    declare(tools: readonly Tool[]): void {
      ownTools = toOwnTools(tools);
      ownNames = new Set(ownTools.map(tool => tool.name));
      applied = undefined;
    },
    /** Restricts the rounds that follow to the tools of these names. Undefined removes the restriction. */
    activate(names: readonly string[] | undefined): void {
      active = names;
    },
    /** Returns the loop's tool of a name: the offered one, or one that had the name earlier. */
    get: (name: string): ToolDefinition | undefined =>
      current.loopTools.get(name) ?? current.aliases.get(name) ?? builtIn.find(name)?.definition,
    /** Returns true for a tool of the loop itself. */
    isBuiltIn: (tool: ToolDefinition): boolean => builtIn.find(tool.name) !== undefined,
    /** Returns true for a tool of the server that no host declares. */
    isOfServer: (name: string): boolean => selection?.isOfServer(name) === true,
    /** Runs a tool of the loop itself, or one of the source. */
    callTool: async (call: ToolInvocation, options: ToolCallOptions): Promise<ToolOutput> =>
      builtIn.run(call, options) ?? source.callTool(call, options),
    refresh,
    restore,
    connect,
    /** Notes the tools that a conversation has found. */
    read: (prompt: Prompt): void => selection?.read(prompt, toMeantName),
    /** Returns a call with the current tools. */
    applyTo({ tools: _, toolChoice, ...request }: CoreCall): CoreCall {
      const names = active && new Set(active.map(toCurrentName));
      const own = builtIn.for(request.prompt);
      const selected =
        names === undefined
          ? selection?.declare({
              ...own,
              prompt: request.prompt,
              required: [...required, ...forcedBy(toolChoice)].map(toCurrentName),
              toMeantName,
              isTaken: name => ownNames.has(name),
            })
          : undefined;
      // Active tools are offered as they are.
      const declared =
        selected ?? [...own.first, ...current.loopTools.values(), ...own.last].map(toFunctionTool);
      const offered = [...current.hostTools, ...declared];
      const tools = names === undefined ? offered : offered.filter(tool => names.has(tool.name));
      const renamed = toolChoice?.type === 'tool' ? toCurrentName(toolChoice.toolName) : undefined;
      return {
        ...(ownAliases.size > 0 ? renameAllowedTools(request, toCurrentName) : request),
        ...(toolChoice && {
          toolChoice: renamed === undefined ? toolChoice : { type: 'tool', toolName: renamed },
        }),
        ...(tools.length > 0 && { tools }),
      };
    },
  };
}

/**
 * Returns the tools of the host. It declares those of the loop as stubs, but the model needs their real schemas, and only while
 * they are available.
 */
const toOwnTools = (declared: readonly Tool[] = []): readonly Tool[] =>
  declared.filter(tool => (tool.type === 'function' ? !isToolStub(tool) : !isStepTool(tool)));

/** Returns the tool that a request has to call. */
const forcedBy = (choice: ToolChoice | undefined): string[] =>
  choice?.type === 'tool' ? [choice.toolName] : [];

const byNameOf = (tools: readonly ToolDefinition[]): Map<string, ToolDefinition> =>
  new Map(tools.map(tool => [tool.name, tool]));

/**
 * Lists the tools of a source as long as the turn runs, and records the listings of a durable turn.
 *
 * @param apply Uses the tools of a listing.
 */
function createListings(
  source: ToolSource,
  names: Required<Pick<ListToolsOptions, 'known' | 'reserved'>>,
  options: Pick<TurnToolsOptions, 'steps' | 'lifetime' | 'warn'>,
  apply: (listing: ToolListing) => void,
) {
  const { signal } = options.lifetime;
  /** The listing of this process. */
  let listed: Promise<ToolListing> | undefined;
  /** The contents of the current listing, if rounds are recorded. */
  let lastContents: string | undefined;

  async function list(): Promise<ToolListing> {
    listed = untilAborted(source.listTools({ signal, ...names }), signal);
    const listing = await listed;
    options.lifetime.endWith(listing.closed ?? []);
    signal.throwIfAborted();
    return listing;
  }

  /** Lists the tools if this process has not done so: a source may be unable to run a tool that it has not listed. */
  const connect = async (): Promise<void> => {
    if (listed === undefined) await list();
  };

  /** Returns a recorded tool that asks the tool of this process whether a call needs approval. */
  function withFunctions(tool: ToolDefinition): ToolDefinition {
    if (tool.needsApproval === undefined) return tool;
    return {
      ...tool,
      async needsApproval(call, callOptions) {
        await connect();
        const live = (await listed)?.tools.find(other => isSameTool(other, tool));
        return live?.needsApproval?.(call, callOptions) ?? true;
      },
    };
  }

  /** Uses a recorded listing. */
  function restore(listing: ToolListing): void {
    lastContents = toContents(listing);
    const restored = (names: ToolListing['aliases'] = new Map()) =>
      new Map([...names].map(([name, tool]) => [name, tool && withFunctions(tool)] as const));
    const { tools, aliases, meanings } = listing;
    apply({
      ...listing,
      tools: tools.map(withFunctions),
      aliases: restored(aliases),
      meanings: restored(meanings),
    });
  }

  return {
    connect,
    restore,
    /** Uses the first listing. Returns true if it was recorded. */
    async open(): Promise<boolean> {
      const { value, isReplayed } = await options.steps.step('tools', list, {
        encode: toListingRecord,
        decode: fromListingRecord,
      });
      if (isReplayed) restore(value);
      else {
        apply(value);
        if (options.steps.isDurable) lastContents = toContents(value);
      }
      return isReplayed;
    },
    /** Lists the tools again. Returns the listing if it is to be recorded and differs from the one before. */
    async refresh(): Promise<ToolListing | undefined> {
      const listing = await list().catch((error: unknown) => {
        signal.throwIfAborted();
        options.warn(
          `The tools could not be listed again, so those of the last round are offered. ${messageOf(error)}`,
        );
        return undefined;
      });
      if (listing === undefined) return undefined;
      apply(listing);
      if (!options.steps.isDurable) return undefined;
      const contents = toContents(listing);
      const isSame = contents === lastContents;
      lastContents = contents;
      return isSame ? undefined : listing;
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

/** Reports the host's own tools that a tool of the loop hides. */
function shadowWarnings(
  hostTools: readonly Tool[],
  loopTools: ReadonlyMap<string, ToolDefinition>,
): string[] {
  return hostTools.flatMap(tool => {
    const hiding = loopTools.get(tool.name);
    if (hiding === undefined) return [];
    const owner = hiding.server === undefined ? 'the tool loop' : `the MCP server "${hiding.server}"`;
    return [
      `The tool "${tool.name}" of the call is not used, because ${owner} has a tool of the same name, which runs instead. ` +
        'Rename one of them.',
    ];
  });
}

/** Namespaces of other providers that may contain the option `allowedTools`. */
const NAMESPACES = ['openai', 'azure'] as const;

/**
 * Returns the names of the tools to which a call is restricted (`providerOptions.openai.allowedTools`). Undefined without
 * a restriction. Servers other than OpenAI's may ignore it, so the loop applies it, too. The loop does not know which
 * namespace its model reads: if several contain the option, a tool has to be allowed by all of them.
 */
function allowedNamesOf(call: Pick<CoreCall, 'own' | 'providerOptions'>): readonly string[] | undefined {
  const options = [call.own, ...NAMESPACES.map(namespace => call.providerOptions?.[namespace])];
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
