import { once } from '../../../core/shared/once.js';
import type { ToolDefinition } from '../../../tools/tool-source.js';
import type { BuiltInTool } from '../../context/built-in-tools.js';

/** The name of the tool with which a model searches, unless another tool has it. */
export const SEARCH_TOOL = 'search_tools';
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
/** Maximum length of a description in a result, in characters. The next request has the complete definition. */
const MAX_DESCRIPTION = 300;

/** Creates the tool with which a model searches. Its declaration depends on the names of the servers alone. */
export function createSearchTool(name: string, tools: readonly ToolDefinition[]): BuiltInTool {
  const servers = [...new Set(tools.flatMap(tool => tool.server ?? []))];
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
    run(value) {
      const maximum = Math.min(Number(value.limit) || DEFAULT_LIMIT, MAX_LIMIT);
      const found = index()(String(value.query)).slice(0, maximum);
      const listed = found.map(tool => ({
        name: tool.name,
        ...(tool.server !== undefined && { server: tool.server }),
        ...(tool.description !== undefined && { description: tool.description.slice(0, MAX_DESCRIPTION) }),
      }));
      const note = 'No tool has any of these words. Search with other words.';
      return { type: 'json', value: { tools: listed, ...(found.length === 0 && { note }) } };
    },
  };
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
      .map(document => {
        let score = 0;
        for (const word of wanted) score += bestMatch(word, document.weights) * rarityOf(word);
        return { tool: document.tool, score };
      })
      .filter(entry => entry.score > 0)
      .sort((a, b) => b.score - a.score)
      .map(entry => entry.tool);
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

function weightsOf(tool: ToolDefinition) {
  const weights = new Map<string, number>();
  const described = new Set(toWords(tool.description ?? ''));
  const fields = [
    [FIELD_WEIGHTS.description / (1 + described.size / 100), described],
    [FIELD_WEIGHTS.parameters, toWords(Object.keys(tool.inputSchema.properties ?? {}).join(' '))],
    [FIELD_WEIGHTS.title, toWords(`${tool.title ?? tool.metadata?.title ?? ''} ${tool.server ?? ''}`)],
    [FIELD_WEIGHTS.name, toWords(`${tool.name} ${tool.originalName ?? ''}`)],
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
