import type { LanguageModelV2CallOptions, LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import { toStableJson } from '../shared/json.js';
import { fromPlainJson, toPlainJson } from '../shared/plain-json.js';
import { isStrictSchema } from '../tool-calls/strict-schema.js';
import { isToolStub } from '../tools/tool-stubs.js';
import type { ToolDefinition, ToolListing, ToolSource } from '../tools/tool-source.js';
import { allowedNamesOf, renameAllowedTools } from './allowed-tools.js';
import { knownToolsOf } from './calls.js';
import { createToolFinder, type FindTool, type HostTool, type ToolFinderOptions } from './known-tools.js';
import type { Steps } from './steps.js';
import type { TurnLifetime } from './turn-lifetime.js';

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
  /** Returns the options of a request with the current tools. */
  applyTo(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions;
}

export interface TurnToolsOptions extends Pick<
  LanguageModelV2CallOptions,
  'prompt' | 'tools' | 'providerOptions'
> {
  readonly source: ToolSource;
  readonly steps: Steps;
  /** Ends when the source is closed. */
  readonly lifetime: Pick<TurnLifetime, 'signal' | 'endWith'>;
  /** Called for each warning, once in a turn. */
  readonly warn: (message: string) => void;
}

/** Lists the tools of a turn. */
export async function openTurnTools({
  source,
  steps,
  lifetime,
  prompt,
  tools: declared = [],
  providerOptions,
  warn,
}: TurnToolsOptions): Promise<TurnTools> {
  const { signal } = lifetime;
  const known = knownToolsOf(prompt);
  // A host declares the loop's tools as stubs. The model needs their real schemas, and only while they are available.
  const ownTools = declared.filter(tool => !isStub(tool));
  const ownNames = new Set(ownTools.map(({ name }) => name));
  const allowed = allowedNamesOf(providerOptions);
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
    restore,
    connect,
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

/** Returns a listing as plain JSON. Functions and signals belong to the process. */
export const toListingRecord = ({ tools, aliases = new Map(), warnings }: ToolListing) => ({
  tools: tools.map(toToolRecord),
  aliases: [...aliases].map(([name, tool]) => [name, tool === undefined ? null : toToolRecord(tool)]),
  warnings: [...warnings],
});

/** Permanent warnings are in the first listing only, so they do not count. */
const toContents = (listing: ToolListing): string =>
  toStableJson(toListingRecord({ ...listing, warnings: [] }));

const toToolRecord = ({ needsApproval, ...tool }: ToolDefinition) =>
  toPlainJson(
    { ...tool, ...(needsApproval !== undefined && { mayNeedApproval: true }) },
    { keepUndefined: false },
  );

/** Restores a listing. A tool with a condition for approvals needs it for every call until the condition is known. */
export function fromListingRecord(record: unknown): ToolListing {
  const { tools, aliases, warnings } = fromPlainJson(record) as {
    tools: ToolRecord[];
    aliases: [string, ToolRecord | null][];
    warnings: string[];
  };
  return {
    tools: tools.map(fromToolRecord),
    aliases: new Map(aliases.map(([name, tool]) => [name, tool === null ? undefined : fromToolRecord(tool)])),
    warnings,
  };
}

type ToolRecord = Omit<ToolDefinition, 'needsApproval'> & { readonly mayNeedApproval?: boolean };

const fromToolRecord = ({ mayNeedApproval, ...tool }: ToolRecord): ToolDefinition => ({
  ...tool,
  ...(mayNeedApproval === true && { needsApproval: () => true }),
});

const isSameTool = (a: ToolDefinition, b: ToolDefinition): boolean =>
  a.server === b.server && (a.originalName ?? a.name) === (b.originalName ?? b.name);

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
