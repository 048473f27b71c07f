import { isPlainObject } from '../shared/json.js';
import type { FunctionTool } from './request.js';

/** A tool the message asks for, with the part of the message that asks for it. */
export interface WantedTool {
  readonly tool: FunctionTool;
  readonly text: string;
}

/**
 * Picks the tools that a message asks for, in its order: those it calls by their exact name; without such, those
 * whose names share words with it; without such, the one whose description shares most words with it.
 * Where steps are told apart by "then", each step is looked at on its own.
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

/** Whether the message wants one call after another. */
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

/** Where a text names a tool outright. A name of one word is an ordinary word, and left to the words. */
function findName(text: string, name: string): number {
  if (!/[_-]/.test(name)) return -1;
  const escaped = name.replace(/[^\w]/g, '\\$&');
  return text.search(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`));
}

/**
 * Takes the tool whose name explains the message best, then the next one that explains words the first left
 * open, and so on. A word counts the less, the more tools have it in their names.
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
    // The share of the name that was said decides between `read_file` and `read_multiple_files`.
    // Beside another tool, "file" alone is no call of `search_files`; "search" or most of the name is.
    const isSaid = coverage > 0.5 || wordsOf(tool)[0] === explained[0];
    return { tool, isSaid, score: weight * (1 + coverage) };
  };

  const chosen: FunctionTool[] = [];
  for (;;) {
    const [best] = tools
      .filter(tool => !chosen.includes(tool))
      .map(rate)
      .filter(({ score, isSaid }) => score > 0 && (isSaid || chosen.length === 0))
      .sort((a, b) => b.score - a.score);
    if (best === undefined) break;
    chosen.push(best.tool);
    // "Echo the message" speaks of a parameter of `echo`, not of another tool for messages.
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

// Words that stand in names and messages alike and say nothing of the matter.
const emptyWords = new Set(
  (
    'a all an and answer any are as at be by call can current do does for from get give have hello how i if in ' +
    'into is it its make me mcp my new of on one or out please run say set should show some tell that the their ' +
    'them there these this to tool two up use using want was we what when where which who will with would you your'
  ).split(' '),
);

/** The words of a name, without the empty ones unless there are no others. */
function toNameWords(name: string): string[] {
  const words = toWords(name);
  return words.length > 0 ? words : toAllWords(name);
}

const toWords = (text: string): string[] => toAllWords(text).filter(word => !emptyWords.has(word));

/** Lower-case words without their endings; `camelCase` and `snake_case` come apart. */
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
