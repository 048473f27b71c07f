import { type AbortSource, createClosing, untilAborted } from '../core/shared/abort.js';
import { toHash } from '../core/shared/hash.js';
import { decoratedName } from '../core/tool-calls/tool-names.js';
import type {
  KnownTool,
  ListToolsOptions,
  ToolDefinition,
  ToolInvocation,
  ToolListing,
  ToolSource,
} from './tool-source.js';

/**
 * Combines several sources into one. A tool of the application or of the host keeps its name; a server's tool with the same
 * name as another tool is offered as `<server>_<tool>`, so that no tool hides another.
 */
export function createToolbox(sources: readonly ToolSource[]): ToolSource {
  const name = sources.map(source => source.name).join(', ');
  const combined = combineSources(sources);
  const closing = createClosing(name);

  return {
    name,
    async listTools(options) {
      const { signal } = closing;
      const { closed = [], ...listing } = await untilAborted(combined.listTools(options), signal);
      return { ...listing, closed: [signal, ...closed] };
    },
    async callTool(call, options) {
      const found = combined.find(call);
      if (found === undefined) return { type: 'error-text', value: `There is no tool "${call.toolName}".` };
      return found.source.callTool(found.call, options);
    },
    async close() {
      closing.close();
      const results = await Promise.allSettled(sources.map(source => source.close()));
      const failures = results.filter(result => result.status === 'rejected').map(result => result.reason);
      if (failures.length > 0) throw new AggregateError(failures, 'Some tool sources could not be closed.');
    },
  };
}

/** What has tools that are combined. */
export type ListedSource = Pick<ToolSource, 'listTools' | 'callTool'>;

/** Returns the tools of several sources under unique names. */
export function combineSources(sources: readonly ListedSource[]) {
  const names = new OfferedNames();
  /** The newest names, with what they were made of. */
  let latest: { readonly of: readonly unknown[]; readonly named: NamedTools } | undefined;

  return {
    /** Lists the tools. They are named again if something has changed since they were named for the same turn. */
    async listTools(options: ListToolsOptions = {}): Promise<ToolListing> {
      const { known, reserved } = options;
      const listings = await Promise.all(sources.map(source => source.listTools(options)));
      const warnings: string[] = [];
      const closed: AbortSource[] = [];
      // An application may change the array that its source returns.
      const of: unknown[] = [known, reserved];
      for (const listing of listings) {
        warnings.push(...listing.warnings);
        closed.push(...(listing.closed ?? []));
        of.push(...listing.tools, listing.aliases);
      }
      if (latest === undefined || !isSameList(latest.of, of)) {
        const listed = sources.flatMap((source, index) =>
          (listings[index]?.tools ?? []).map((tool): SourceTool => ({ source, tool })),
        );
        const aliases = listings.flatMap(listing => [...(listing.aliases ?? [])]);
        latest = { of, named: names.assign(listed, { known, reserved }, aliases) };
      }
      return { ...latest.named, warnings, closed };
    },
    find: (call: ToolInvocation) => names.find(call),
  };
}

/** Tools under the names that a conversation uses. */
type NamedTools = Required<Pick<ToolListing, 'tools' | 'aliases' | 'meanings'>>;

/** Returns true if two lists have the same values. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (const [index, value] of one.entries()) if (value !== other[index]) return false;
  return true;
}

/** A tool as its source lists it. */
interface SourceTool {
  readonly source: ListedSource;
  readonly tool: ToolDefinition;
}

/** A tool that was listed at least once. */
interface Entry extends SourceTool {
  /** The latest definition. */
  tool: ToolDefinition;
}

/**
 * A tool of the application keeps its name; if two sources of the application have the same name, the later one gets a
 * number. A tool of a server keeps its name while no other source, and not the host, has one of that name, and while it does
 * not decorate the name of another tool, as `functions.x` does; otherwise every server's tool is called `<server>_<tool>`,
 * whichever was listed first. The name of a tool may change, but a name always refers to the same tool, even while its server
 * is unavailable: otherwise a model could call another tool than the one it was offered.
 *
 * A conversation changes these names only for itself: a name that it uses for another tool is not offered, and the tool gets
 * a further one. What the names of the application mean does not change.
 *
 * @internal
 */
class OfferedNames {
  readonly #entries = new Map<ListedSource, Map<string, Entry>>();
  /** The tools that sources list under a name. */
  readonly #claims = new Map<string, Set<Entry>>();
  /** The tool that was first offered under a name. */
  readonly #owners = new Map<string, Entry>();
  /** The names that sources list. */
  readonly #claimed = new Set<string>();

  /**
   * Names the tools of a listing.
   *
   * @param sourceAliases Further names that the sources themselves list.
   */
  assign(
    listed: readonly SourceTool[],
    options: Pick<ListToolsOptions, 'known' | 'reserved'>,
    sourceAliases: Iterable<readonly [name: string, tool: ToolDefinition | undefined]>,
  ): NamedTools {
    const current = new Set(listed.map(tool => this.#register(tool)));
    const ofHost = new Set(options.reserved ?? []);
    const given = new Map((options.known ?? []).map(tool => [tool.name, tool]));
    const names = new Map<Entry, string>();
    const taken = new Set<string>();
    const name = (entry: Entry, isAllowed: (name: string) => boolean): void => {
      const isOfServer = entry.tool.server !== undefined;
      const isFree = (candidate: string): boolean =>
        !taken.has(candidate) &&
        !(isOfServer && ofHost.has(candidate)) &&
        (this.#owners.get(candidate) ?? entry) === entry &&
        isAllowed(candidate);
      const chosen = this.#chooseName(entry, isFree, ofHost);
      taken.add(chosen);
      names.set(entry, chosen);
      if (!this.#owners.has(chosen)) this.#owners.set(chosen, entry);
    };
    for (const entry of current) name(entry, () => true);
    // The names of this conversation, which other conversations do not have.
    for (const [entry, chosen] of [...names]) {
      const meansOther = (candidate: string): boolean => {
        const meaning = given.get(candidate);
        return meaning !== undefined && !isSameTool(entry.tool, meaning);
      };
      if (entry.tool.server !== undefined && meansOther(chosen))
        name(entry, candidate => !meansOther(candidate));
    }

    const offered = new Map<string, ToolDefinition>();
    /** The offered definitions by those of the sources. */
    const named = new Map<ToolDefinition, ToolDefinition>();
    for (const [{ tool }, chosen] of names) {
      const definition = rename(tool, chosen);
      offered.set(chosen, definition);
      named.set(tool, definition);
    }
    const aliases = new Map<string, ToolDefinition | undefined>();
    for (const [alias, tool] of sourceAliases) aliases.set(alias, tool && named.get(tool));
    for (const [alias, { tool }] of this.#owners) aliases.set(alias, named.get(tool));
    const meanings = new Map<string, ToolDefinition | undefined>();
    for (const [alias, meaning] of given) {
      const tool = [...offered.values()].find(one => isSameTool(one, meaning));
      meanings.set(alias, tool);
    }
    for (const chosen of offered.keys()) {
      aliases.delete(chosen);
      meanings.delete(chosen);
    }
    return { tools: [...offered.values()], aliases, meanings };
  }

  /** Returns the source of a call, and the call as this source expects it: with the tool as it was last listed. */
  find(call: ToolInvocation): { source: ListedSource; call: ToolInvocation } | undefined {
    const { toolName, server, originalName = toolName } = call;
    let found = this.#owners.get(toolName);
    if (server !== undefined && !(found && isSameTool(found.tool, { server, originalName })))
      found = [...this.#entries.values()]
        .flatMap(ofSource => [...ofSource.values()])
        .find(entry => isSameTool(entry.tool, { server, originalName }));
    if (found === undefined) return undefined;
    const { source, tool } = found;
    return {
      source,
      call: { ...call, toolName: tool.name, server: tool.server, originalName: tool.originalName },
    };
  }

  #register({ source, tool }: SourceTool): Entry {
    const ofSource = this.#entries.get(source) ?? new Map<string, Entry>();
    this.#entries.set(source, ofSource);
    const key = JSON.stringify(tool.server === undefined ? [tool.name] : [tool.server, originalNameOf(tool)]);
    const entry = ofSource.get(key) ?? { source, tool };
    entry.tool = tool;
    ofSource.set(key, entry);
    this.#claims.set(tool.name, (this.#claims.get(tool.name) ?? new Set()).add(entry));
    this.#claimed.add(tool.name);
    return entry;
  }

  /** Names a tool. `reserved` are the names of the host. */
  #chooseName(entry: Entry, isFree: (name: string) => boolean, reserved: ReadonlySet<string>): string {
    const { name, server } = entry.tool;
    const isUnclaimed = (candidate: string): boolean => {
      const claimants = this.#claims.get(candidate);
      return claimants === undefined || (claimants.size === 1 && claimants.has(entry));
    };
    if (server === undefined) return isFree(name) ? name : withNumber(name, isFree);
    const isDecorated =
      decoratedName(name, this.#claimed) !== undefined || decoratedName(name, reserved) !== undefined;
    if (!RESERVED.has(name) && !isDecorated && isUnclaimed(name) && isFree(name)) return name;
    const isAvailable = (candidate: string): boolean =>
      isFree(candidate) && (this.#owners.get(candidate) === entry || isUnclaimed(candidate));
    const prefixed = toPrefixedName(server, originalNameOf(entry.tool));
    return isAvailable(prefixed) ? prefixed : withNumber(prefixed, isAvailable);
  }
}

/** Hosts look up tools in plain objects, which all have a `constructor`. */
const RESERVED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

const originalNameOf = ({ name, originalName = name }: ToolDefinition): string => originalName;

const isSameTool = (tool: ToolDefinition, knownTool: Omit<KnownTool, 'name'>): boolean =>
  tool.server === knownTool.server && originalNameOf(tool) === knownTool.originalName;

const rename = (tool: ToolDefinition, name: string): ToolDefinition =>
  name === tool.name ? tool : { ...tool, name, originalName: originalNameOf(tool) };

function withNumber(name: string, isFree: (name: string) => boolean): string {
  for (let number = 2; ; number++) if (isFree(`${name}_${number}`)) return `${name}_${number}`;
}

/** Names that every API accepts. */
const acceptedName = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Returns `<server>_<tool>`. If only the prefix makes it a name that APIs reject, it is shortened, with a hash of the
 * complete name.
 */
export function toPrefixedName(server: string, toolName: string): string {
  const name = `${server}_${toolName}`;
  if (acceptedName.test(name) || !acceptedName.test(toolName)) return name;
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 55)}_${toHash(name)}`;
}
