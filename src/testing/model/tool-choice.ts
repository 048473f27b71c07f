import { isPlainObject } from '../../shared/json.js';
import type { FunctionTool } from '../protocol/request.js';

/** A tool that the message requests, and the part of the message that requests it. */
export interface WantedTool {
  readonly tool: FunctionTool;
  readonly text: string;
}

/**
 * Returns the tools that a message requests, in the order of the message. Exact tool names win over names that share
 * words with the message, and these win over the description that shares most words with it.
 * Steps separated by "then" are matched one by one.
 */
export function chooseTools(message: string, { tools }: { tools: readonly FunctionTool[] }): WantedTool[] {
  if (/\b(without|do not|don't|no)\b[^.]{0,30}\btools?\b/i.test(message)) return [];
  const steps = message.split(/\bthen\b/i).filter(step => step.trim() !== '');
  const wanted = steps.flatMap(step =>
    chooseForStep(step, { tools }).map(tool => ({ tool, text: step.trim() })),
  );
  if (wanted.length > 0) return wanted;
  const described = findDescribed(message, { tools });
  return described === undefined ? [] : [{ tool: described, text: message }];
}

/** Returns true if the message requests calls one after another. */
export const isSequential = (message: string): boolean =>
  /\bthen\b|\bone after (another|the other)\b|\bone (by one|at a time)\b/i.test(message);

function chooseForStep(step: string, { tools }: { tools: readonly FunctionTool[] }): FunctionTool[] {
  const lower = step.toLowerCase();
  const named = tools
    .map(tool => ({ tool, position: findName(lower, tool.name.toLowerCase()) }))
    .filter(({ position }) => position >= 0)
    .sort((a, b) => a.position - b.position)
    .map(({ tool }) => tool);
  return named.length > 0 ? named : findByWords(step, { tools });
}

/** Finds the exact name of a tool in a text. Names of one word are skipped: they are matched as words. */
function findName(text: string, name: string): number {
  if (!/[_-]/.test(name)) return -1;
  const escaped = name.replace(/[^\w]/g, '\\$&');
  return text.search(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`));
}

/**
 * Takes the tool whose name matches the message best, then the one that matches the remaining words best, and so on.
 * A word counts less if more tools have it in their names.
 */
function findByWords(step: string, { tools }: { tools: readonly FunctionTool[] }): FunctionTool[] {
  const words = toAllWords(step);
  const open = new Set(words);
  const names = new Map(tools.map(tool => [tool, [...new Set(toNameWords(tool.name))]]));
  const wordsOf = (tool: FunctionTool): string[] => names.get(tool) ?? [];
  const weigh = (word: string): number => 1 / tools.filter(tool => wordsOf(tool).includes(word)).length;

  const rate = (tool: FunctionTool) => {
    const explained = wordsOf(tool).filter(word => open.has(word));
    const coverage = wordsOf(tool).filter(word => words.includes(word)).length / wordsOf(tool).length;
    const weight = explained.map(weigh).reduce((sum, value) => sum + value, 0);
    // The matched share of the name decides between `read_file` and `read_multiple_files`.
    // Next to another tool, "file" alone does not match `search_files`; "search" or most of the name does.
    const isNamed = coverage > 0.5 || wordsOf(tool)[0] === explained[0];
    return { tool, isNamed, score: weight * (1 + coverage) };
  };

  const chosen: FunctionTool[] = [];
  for (;;) {
    const [best] = tools
      .filter(tool => !chosen.includes(tool))
      .map(rate)
      .filter(({ score, isNamed }) => score > 0 && (isNamed || chosen.length === 0))
      .sort((a, b) => b.score - a.score);
    if (best === undefined) break;
    chosen.push(best.tool);
    // "Echo the message" refers to a parameter of `echo`, not to another tool for messages.
    for (const word of [...wordsOf(best.tool), ...toParameterWords(best.tool)]) open.delete(word);
  }
  const firstWord = (tool: FunctionTool): number => words.findIndex(word => wordsOf(tool).includes(word));
  return chosen.sort((a, b) => firstWord(a) - firstWord(b));
}

const toParameterWords = ({ parameters }: FunctionTool): string[] =>
  toAllWords(Object.keys(isPlainObject(parameters.properties) ? parameters.properties : {}).join(' '));

function findDescribed(
  message: string,
  { tools }: { tools: readonly FunctionTool[] },
): FunctionTool | undefined {
  const words = new Set(toWords(message).filter(word => word.length >= 4));
  const [best] = tools
    .map(tool => ({ tool, shared: new Set(toWords(tool.description).filter(word => words.has(word))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared);
  return best?.tool;
}

// Stop words: they occur in names and messages without a meaning for the choice.
const stopWords = new Set(
  (
    'a all an and answer any are as at be by call can current do does for from get give have hello how i if in ' +
    'into is it its make me mcp my new of on one or out please run say set should show some tell that the their ' +
    'them there these this to tool two up use using want was we what when where which who will with would you your'
  ).split(' '),
);

/** Returns the words of a name without stop words, or all words if there are no others. */
function toNameWords(name: string): string[] {
  const words = toWords(name);
  return words.length > 0 ? words : toAllWords(name);
}

const toWords = (text: string): string[] => toAllWords(text).filter(word => !stopWords.has(word));

/** Returns lower-case word stems; `camelCase` and `snake_case` are split. */
function toAllWords(text: string): string[] {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter(word => word !== '' && !/^\d+$/.test(word)).map(toStem);
}

const toStem = (word: string): string =>
  word.length > 4
    ? word.replace(/(ies)$/, 'y').replace(/(ing|ed|es|s|e)$/, '')
    : word.replace(/(?<=..)s$/, '');
