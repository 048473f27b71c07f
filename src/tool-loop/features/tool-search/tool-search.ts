import type { Prompt, ProviderTool, Tool, ToolResultOutput } from '../../../core/prompt.js';
import { toHash } from '../../../core/shared/hash.js';
import { objectOf, objectsOf, tryParseJson } from '../../../core/shared/json.js';
import { createUniqueIds } from '../../../core/shared/unique-ids.js';
import type { ToolDefinition } from '../../../tools/tool-source.js';
import { toFunctionTool } from '../../../tools/tool-stubs.js';
import type { BuiltInTool } from '../../context/built-in-tools.js';
import type { CreateFeature, ServerSupport, ToolOffer, ToolSelection } from '../feature.js';
import { createSearchTool, SEARCH_TOOL } from './search-tool.js';

/*
 * Tools that the model has to search for, so that requests do not contain all definitions. Nothing is kept outside of the
 * conversation: the calls and results in it decide which tools are offered, in every process.
 */

export interface ToolSearchOptions {
  /**
   * Decides who searches for the tools with `deferLoading`, which requests do not contain before the model has found them.
   * `server`: the tool search of the Responses API, for models from `gpt-5.4` on. `client`: the tool loop, with a tool
   * `search_tools`, for any model. `auto`: the API for models and servers that are known to have it, else the tool loop,
   * also after the server has rejected the search. With `false` all tools are offered. A tool that the model calls by its
   * exact name runs without a search, under the same rules as any other, and tools in `activeTools` are offered without one.
   * @default 'auto'
   */
  toolSearch?: 'auto' | 'server' | 'client' | false;
}

/** Offers the tools of a turn that the model has found. */
export const createToolSearch: CreateFeature<ToolSearchOptions> = (
  { call, searchSupport, warn },
  { toolSearch = 'auto' },
) => {
  if (toolSearch === false) return undefined;
  const search = new Search(toolSearch, searchSupport, call.prompt);
  return {
    selection: new FoundTools(search),
    recover(error, round) {
      if (!search.isRejectedBy(error)) return false;
      warn(round, 'The server has rejected its tool search, so the tool loop searches.');
      return true;
    },
  };
};

/** Who searches in a turn. The API may reject its search once. @internal */
export class Search {
  readonly #option: 'auto' | 'server' | 'client';
  readonly #support: ServerSupport;
  readonly #prompt: Prompt;
  #isRejected = false;

  constructor(
    option: 'auto' | 'server' | 'client',
    support: ServerSupport = { isSupported: false },
    prompt: Prompt = [],
  ) {
    this.#option = option;
    this.#support = support;
    this.#prompt = prompt;
  }

  get by(): 'server' | 'client' {
    if (this.#option !== 'auto') return this.#option;
    return this.#support.isSupported && !this.#isRejected ? 'server' : 'client';
  }

  /** Returns true if the error of a request is a rejection of the API's search, so that the tool loop searches from now on. */
  isRejectedBy(error: unknown): boolean {
    const { statusCode, message } = objectOf(error) ?? {};
    if (this.by !== 'server' || this.#option !== 'auto' || (statusCode !== 400 && statusCode !== 422))
      return false;
    const [words] = /tool_search|defer_loading|namespace/i.exec(String(message)) ?? [];
    if (words === undefined) return false;
    this.#isRejected = true;
    // A server may quote the conversation.
    if (!JSON.stringify(this.#prompt).includes(words)) {
      const first = this.#prompt.find(entry => entry.role === 'user') ?? null;
      const conversation = toHash(JSON.stringify(first));
      this.#support.rejectedIn ??= conversation;
      this.#support.isSupported = this.#support.rejectedIn === conversation;
    }
    return true;
  }
}

/** Found tools are added at the end and stay, so that each request begins with the tools of the one before. */
class FoundTools implements ToolSelection {
  readonly #search: Search;
  readonly #loaded = new Set<string>();
  #tools: ReadonlyMap<string, ToolDefinition> = new Map();
  #deferred: readonly ToolDefinition[] = [];
  #searchTool: BuiltInTool | undefined;

  constructor(search: Search) {
    this.#search = search;
  }

  update(tools: ReadonlyMap<string, ToolDefinition>): ReturnType<ToolSelection['update']> {
    this.#tools = tools;
    this.#deferred = [...tools.values()].filter(tool => tool.deferLoading === true);
    this.#searchTool = undefined;
    if (this.#deferred.length === 0) return undefined;
    // The search of the loop can always run, because the API may reject its own.
    return toName => (this.#searchTool = createSearchTool(toName(SEARCH_TOOL), this.#deferred));
  }

  isKnown(toolName: string): boolean {
    return this.#loaded.has(toolName) || this.#tools.get(toolName)?.deferLoading !== true;
  }

  isOfServer(toolName: string): boolean {
    return this.#searchTool !== undefined && toolName === SERVER_SEARCH.name;
  }

  read(prompt: Prompt, toMeantName: ToolOffer['toMeantName']): void {
    if (this.#searchTool === undefined || this.#search.by === 'server') return;
    for (const name of namesFoundIn(prompt, this.#searchTool.definition.name))
      this.#loaded.add(toMeantName(name));
  }

  declare(offer: ToolOffer): Tool[] | undefined {
    if (this.#searchTool === undefined) return undefined;
    const { first, last, required } = offer;
    const offered = [...first, ...this.#tools.values()].filter(tool => tool.deferLoading !== true);
    if (this.#search.by === 'server') {
      const [needed, rest] = [true, false].map(isNeeded =>
        this.#deferred.filter(tool => required.includes(tool.name) === isNeeded),
      ) as [ToolDefinition[], ToolDefinition[]];
      return [
        ...[...offered, ...needed].map(toFunctionTool),
        ...(offer.isTaken(SERVER_SEARCH.name) ? [] : [SERVER_SEARCH]),
        ...toSearchedTools(rest),
        ...last.map(toFunctionTool),
      ];
    }
    const { definition } = this.#searchTool;
    for (const name of required) this.#loaded.add(name);
    this.read(offer.prompt, offer.toMeantName);
    const found = [...this.#loaded]
      .flatMap(name => this.#tools.get(name) ?? [])
      .filter(tool => tool.deferLoading);
    return [...offered, definition, ...found, ...last].map(toFunctionTool);
  }
}

/**
 * Returns the names of tools that a conversation has called or found, oldest first.
 *
 * @param searchTool the name of the search tool.
 */
function* namesFoundIn(prompt: Prompt, searchTool: string): Generator<string> {
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue;
    for (const part of content) {
      if (part.type === 'tool-call') yield part.toolName;
      else if (part.type === 'tool-result' && part.toolName === searchTool) yield* namesIn(part.output);
    }
  }
}

function namesIn(output: ToolResultOutput): string[] {
  if (!('value' in output)) return [];
  const value = typeof output.value === 'string' ? tryParseJson(output.value) : output.value;
  return objectsOf(objectOf(value)?.tools).map(entry => String(entry.name));
}

/** The declaration of the API's search. */
const SERVER_SEARCH: ProviderTool = {
  type: 'provider',
  id: 'openai.tool_search',
  name: 'tool_search',
  args: {},
};

/** Maximum length of the description of a namespace, in characters. */
const MAX_NAMESPACE = 500;

/** Returns functions that the API's search finds: those of a server in a namespace of its name. */
function toSearchedTools(tools: readonly ToolDefinition[]): Tool[] {
  const namespaces = new Map<string, { name: string; description: string }>();
  const names = createUniqueIds();
  for (const { server, name, metadata, title: ownTitle } of tools) {
    if (server === undefined) continue;
    const known = namespaces.get(server);
    const title = ownTitle ?? metadata?.title ?? name;
    const description =
      known === undefined ? `Tools of ${server}: ${title}` : `${known.description}, ${title}`;
    const local = known?.name ?? names.take(server.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 60));
    namespaces.set(server, { name: local, description: description.slice(0, MAX_NAMESPACE) });
  }
  return tools.map(tool => {
    const declared = toFunctionTool(tool);
    const namespace = tool.server === undefined ? undefined : namespaces.get(tool.server);
    const openai = {
      ...declared.providerOptions?.openai,
      deferLoading: true,
      ...(namespace && { namespace }),
    };
    return { ...declared, providerOptions: { ...declared.providerOptions, openai } };
  });
}
