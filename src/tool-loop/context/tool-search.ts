import type { Prompt, ProviderTool, Tool, ToolResultOutput } from '../../core/prompt.js';
import { objectOf, objectsOf, tryParseJson } from '../../core/shared/json.js';
import { toHash } from '../../core/shared/hash.js';
import { once } from '../../core/shared/once.js';
import { createUniqueIds } from '../../core/shared/unique-ids.js';
import type { ToolCallOptions, ToolDefinition, ToolOutput, ToolSource } from '../../tools/tool-source.js';
import { toFunctionTool } from '../../tools/tool-stubs.js';

/*
 * Tools that the model has to search for, so that requests do not contain all definitions. Nothing is kept outside of the
 * conversation: the calls and results in it decide which tools are offered, in every process.
 */

/** Decides who searches for tools with `deferLoading`. `auto` is the API where it can, else the tool loop. */
export type ToolSearchOption = 'auto' | 'server' | 'client' | false;

/** The decision for the turns of a model. The API may reject its search once. */
export interface ToolSearch {
  readonly by: 'server' | 'client' | false;
  /**
   * Returns true if the error of a request is a rejection of the API's search, so that the tool loop searches from now on.
   */
  isRejectedBy(error: unknown, warn: (message: string) => void): boolean;
}

/**
 * A server's support of the tool search for a model. It ends when two conversations have met a rejection: one of them could
 * have caused it by its contents.
 */
export interface SearchSupport {
  isSupported: boolean;
  /** The conversation that has met a rejection, by its first message. */
  rejectedIn?: string;
}

/** Creates the search of one call. */
export function createToolSearch(
  option: ToolSearchOption = 'auto',
  support: SearchSupport = { isSupported: false },
  prompt: Prompt = [],
): ToolSearch {
  let isRejected = false;
  return {
    get by() {
      if (option !== 'auto') return option;
      return support.isSupported && !isRejected ? 'server' : 'client';
    },
    isRejectedBy(error, warn) {
      const { statusCode, message } = objectOf(error) ?? {};
      if (this.by !== 'server' || option !== 'auto' || (statusCode !== 400 && statusCode !== 422))
        return false;
      const [words] = /tool_search|defer_loading|namespace/i.exec(String(message)) ?? [];
      if (words === undefined) return false;
      isRejected = true;
      // A server may quote the conversation.
      if (!JSON.stringify(prompt).includes(words)) {
        const conversation = toHash(JSON.stringify(prompt.find(({ role }) => role === 'user') ?? null));
        support.rejectedIn ??= conversation;
        support.isSupported = support.rejectedIn === conversation;
      }
      warn('The server has rejected its tool search, so the tool loop searches.');
      return true;
    },
  };
}

/** A tool that the loop itself provides. */
export interface BuiltInTool {
  readonly definition: ToolDefinition;
  /** Returns true if a request needs it, which then has it at the end. @default all requests have it */
  isNeeded?(prompt: Prompt): boolean;
  run(
    input: Readonly<Record<string, unknown>>,
    options: Pick<ToolCallOptions, 'signal'>,
  ): ToolOutput | Promise<ToolOutput>;
}

/** Creates a tool of the loop. `toName` returns a name that no other tool has. */
export type CreateBuiltIn = (toName: (name: string) => string) => BuiltInTool;

type ToName = (name: string) => string;

/**
 * Decides which of a turn's tools a request contains. Found tools are added at the end and stay, so that each request
 * begins with the tools of the one before.
 *
 * @param builtIn Tools that the loop itself provides.
 * @param required Names of tools that are offered without a search.
 */
export function createDeferral(
  search: ToolSearch,
  builtIn: readonly CreateBuiltIn[],
  required: readonly string[],
) {
  const loaded = new Set<string>();
  let tools: ReadonlyMap<string, ToolDefinition> = new Map();
  let deferred: readonly ToolDefinition[] = [];
  let own: readonly BuiltInTool[] = [];
  let searchTool: BuiltInTool | undefined;
  const find = (name: string): BuiltInTool | undefined =>
    own.find(({ definition }) => definition.name === name);

  /** Returns the tools of the loop for a request, except the search: those of all requests, and those of this one. */
  function ownIn(prompt: Prompt): Readonly<Record<'first' | 'last', readonly ToolDefinition[]>> {
    const others = own.filter(tool => tool !== searchTool);
    const definitionsOf = (some: readonly BuiltInTool[]) => some.map(({ definition }) => definition);
    return {
      first: definitionsOf(others.filter(({ isNeeded }) => isNeeded === undefined)),
      last: definitionsOf(others.filter(({ isNeeded }) => isNeeded?.(prompt))),
    };
  }

  return {
    /** Reads a listing. `taken` are the names of the other tools. Returns all tools that the loop can run. */
    update(listed: ReadonlyMap<string, ToolDefinition>, taken: Iterable<string>) {
      tools = listed;
      deferred = search.by === false ? [] : [...listed.values()].filter(tool => tool.deferLoading === true);
      if (deferred.length === 0 && builtIn.length === 0) return listed;
      const { take: toName } = createUniqueIds([...listed.keys(), ...taken]);
      const always = builtIn.map(create => create(toName));
      searchTool = deferred.length > 0 ? createSearchTool(toName(SEARCH_TOOL), deferred) : undefined;
      // The search of the loop can always run, because the API may reject its own.
      own = [...always, ...(searchTool === undefined ? [] : [searchTool])];
      return new Map([...listed, ...own.map(({ definition }) => [definition.name, definition] as const)]);
    },

    builtIn: find,

    /** Returns the tools for a request that offers only some by their names. */
    declareAll(prompt: Prompt): Tool[] {
      const { first, last } = ownIn(prompt);
      return [...tools.values(), ...first, ...last].map(toFunctionTool);
    },

    /** Runs a tool of the loop itself, or one of the source. */
    callToolOf:
      (source: Pick<ToolSource, 'callTool'>): ToolSource['callTool'] =>
      async (call, options) =>
        (call.server === undefined ? find(call.toolName)?.run(call.input, options) : undefined) ??
        source.callTool(call, options),

    /** Returns true for the search of the API, which no host declares. */
    isServerSearch: (name: string): boolean => searchTool !== undefined && name === SERVER_SEARCH.name,

    /** Returns true if a tool is known to the model only by a guess. */
    isUnknown: (name: string): boolean =>
      searchTool !== undefined && !loaded.has(name) && tools.get(name)?.deferLoading === true,

    /** Returns the declarations of a round. The functions read older names: of the application, and in the conversation. */
    declare(
      prompt: Prompt,
      { toCurrentName, toMeantName }: Readonly<Record<'toCurrentName' | 'toMeantName', ToName>>,
    ): Tool[] {
      const { first, last } = ownIn(prompt);
      const all = [...first, ...tools.values()];
      if (searchTool === undefined) return [...all, ...last].map(toFunctionTool);
      const offered = all.filter(tool => tool.deferLoading !== true).map(toFunctionTool);
      if (search.by === 'server') {
        const needed = required.map(toCurrentName);
        const rest = deferred.filter(({ name }) => !needed.includes(name));
        const loadedNow = deferred.filter(({ name }) => needed.includes(name));
        return [
          ...offered,
          ...loadedNow.map(toFunctionTool),
          SERVER_SEARCH,
          ...toSearchedTools(rest),
          ...last.map(toFunctionTool),
        ];
      }
      const { name: searchName } = searchTool.definition;
      for (const name of required) loaded.add(toCurrentName(name));
      for (const name of namesFoundIn(prompt, searchName)) loaded.add(toMeantName(name));
      const found = [...loaded].flatMap(name => tools.get(name) ?? []).filter(tool => tool.deferLoading);
      return [...offered, ...[searchTool.definition, ...found, ...last].map(toFunctionTool)];
    },
  };
}

const SEARCH_TOOL = 'search_tools';
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
/** Maximum length of a description in a result, in characters. The next request has the complete definition. */
const MAX_DESCRIPTION = 300;

/** Creates the tool with which a model searches. Its declaration depends on the names of the servers alone. */
function createSearchTool(name: string, tools: readonly ToolDefinition[]): BuiltInTool {
  const servers = [...new Set(tools.flatMap(({ server }) => server ?? []))];
  const index = once(() => createIndex(tools));
  return {
    definition: {
      name,
      description:
        'Finds further tools by words of their names, descriptions and parameters. Search before you conclude that a ' +
        'task is impossible. You can call the tools that it finds from the next step on.' +
        (servers.length > 0 ? ` Servers with such tools: ${servers.join(', ')}.` : ''),
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'Words for the action and its object, such as "create issue".',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_LIMIT,
            description: `Default: ${DEFAULT_LIMIT}.`,
          },
        },
        required: ['query'],
        additionalProperties: false,
      },
      readOnly: true,
      openWorld: false,
    },
    run({ query, limit }) {
      const maximum = Math.min(Number(limit) || DEFAULT_LIMIT, MAX_LIMIT);
      const found = index()(String(query)).slice(0, maximum);
      const listed = found.map(({ name: toolName, description, server }) => ({
        name: toolName,
        ...(server !== undefined && { server }),
        ...(description !== undefined && { description: description.slice(0, MAX_DESCRIPTION) }),
      }));
      const note = 'No tool has any of these words. Search with other words.';
      return { type: 'json', value: { tools: listed, ...(found.length === 0 && { note }) } };
    },
  };
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
  return objectsOf(objectOf(value)?.tools).map(({ name }) => String(name));
}

/** The declaration of the API's search. */
export const SERVER_SEARCH: ProviderTool = {
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

/** Weights of the fields of a tool. A match with the beginning of a word counts half. */
const FIELD_WEIGHTS = { name: 4, title: 3, parameters: 1.5, description: 1 } as const;

/**
 * Creates an index. A tool scores, for each word of the query, the rarity of the word times the weight of the best field
 * that contains it. The frequency of a word in a tool does not count, and long descriptions weigh less, so that a
 * description cannot put its tool first. Tools of equal score keep their order. @internal
 */
export function createIndex(tools: readonly ToolDefinition[]): (query: string) => ToolDefinition[] {
  const documents = tools.map(tool => ({ tool, weights: weightsOf(tool) }));
  const frequencies = new Map<string, number>();
  for (const { weights } of documents) {
    for (const word of weights.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  const rarityOf = (word: string): number => Math.log(1 + tools.length / (frequencies.get(word) ?? 1));

  return query => {
    const wanted = new Set(toWords(query));
    return documents
      .map(({ tool, weights }) => {
        let score = 0;
        for (const word of wanted) score += bestMatch(word, weights) * rarityOf(word);
        return { tool, score };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ tool }) => tool);
  };
}

function bestMatch(word: string, weights: ReadonlyMap<string, number>): number {
  const exact = weights.get(word);
  if (exact !== undefined || word.length < 4) return exact ?? 0;
  let best = 0;
  for (const [other, weight] of weights) {
    const [short, long] = other.length < word.length ? [other, word] : [word, other];
    if (short.length >= 4 && long.startsWith(short)) best = Math.max(best, weight / 2);
  }
  return best;
}

function weightsOf({
  name,
  title,
  originalName,
  server,
  metadata,
  description,
  inputSchema,
}: ToolDefinition) {
  const weights = new Map<string, number>();
  const described = new Set(toWords(description ?? ''));
  const fields = [
    [FIELD_WEIGHTS.description / (1 + described.size / 100), described],
    [FIELD_WEIGHTS.parameters, toWords(Object.keys(inputSchema.properties ?? {}).join(' '))],
    [FIELD_WEIGHTS.title, toWords(`${title ?? metadata?.title ?? ''} ${server ?? ''}`)],
    [FIELD_WEIGHTS.name, toWords(`${name} ${originalName ?? ''}`)],
  ] as const;
  for (const [weight, words] of fields) {
    for (const word of words) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  }
  return weights;
}

const STOP_WORDS = new Set(
  'a all an and any are as at be by can do for from get i in into is it its me my of on or that the this to tool use with you'.split(
    ' ',
  ),
);

/** Scripts without spaces between words, of which pairs of characters are compared. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;

/** Returns stems of words in lower case. `camelCase` and `snake_case` are split. */
function toWords(text: string): string[] {
  const words = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(UNSPACED, run =>
      [...run].map((character, index, all) => character + (all[index + 1] ?? '')).join(' '),
    )
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !STOP_WORDS.has(word));
  return words.map(word =>
    word.length > 4
      ? word.replace(/ies$/, 'y').replace(/(?:ing|ed|es|s|e)$/, '')
      : word.replace(/(?<=...)s$/, ''),
  );
}
