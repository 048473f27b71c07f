import { isPlainObject, numberOf, objectOf, objectsOf, type PlainObject } from '../../core/shared/json.js';
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
export function chooseTools(message: string, tools: readonly FunctionTool[]): WantedTool[] {
  if (/\b(without|do not|don't|no)\b[^.]{0,30}\btools?\b/i.test(message)) return [];
  const steps = message.split(/\bthen\b/i).filter(step => step.trim() !== '');
  const wanted = steps.flatMap(step => chooseForStep(step, tools).map(tool => ({ tool, text: step.trim() })));
  if (wanted.length > 0) return wanted;
  const described = findDescribed(message, tools);
  return described === undefined ? [] : [{ tool: described, text: message }];
}

/** Returns true if the message requests calls one after another. */
export const isSequential = (message: string): boolean =>
  /\bthen\b|\bone after (another|the other)\b|\bone (by one|at a time)\b/i.test(message);

function chooseForStep(step: string, tools: readonly FunctionTool[]): FunctionTool[] {
  const lower = step.toLowerCase();
  const named = tools
    .map(tool => ({ tool, position: findName(lower, tool.name.toLowerCase()) }))
    .filter(entry => entry.position >= 0)
    .sort((a, b) => a.position - b.position)
    .map(entry => entry.tool);
  return named.length > 0 ? named : findByWords(step, tools);
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
function findByWords(step: string, tools: readonly FunctionTool[]): FunctionTool[] {
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
      .filter(entry => entry.score > 0 && (entry.isNamed || chosen.length === 0))
      .sort((a, b) => b.score - a.score);
    if (best === undefined) break;
    chosen.push(best.tool);
    // "Echo the message" refers to a parameter of `echo`, not to another tool for messages.
    for (const word of [...wordsOf(best.tool), ...toParameterWords(best.tool)]) open.delete(word);
  }
  const firstWord = (tool: FunctionTool): number => words.findIndex(word => wordsOf(tool).includes(word));
  return chosen.sort((a, b) => firstWord(a) - firstWord(b));
}

const toParameterWords = (tool: FunctionTool): string[] =>
  toAllWords(
    Object.keys(isPlainObject(tool.parameters.properties) ? tool.parameters.properties : {}).join(' '),
  );

function findDescribed(message: string, tools: readonly FunctionTool[]): FunctionTool | undefined {
  const words = new Set(toWords(message).filter(word => word.length >= 4));
  const [best] = tools
    .map(tool => ({ tool, shared: new Set(toWords(tool.description).filter(word => words.has(word))).size }))
    .filter(entry => entry.shared > 0)
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

/**
 * Creates the smallest instance of a JSON Schema: required properties only, with values from the message and defaults
 * for the rest. The same schema and message always give the same instance.
 */
export function fillSchema(schema: PlainObject, options: { pool: ValuePool }): unknown {
  return fill(schema, { pool: options.pool, root: schema, name: '', depth: 0 });
}

interface Position {
  readonly pool: ValuePool;
  /** The schema that references like `#/$defs/city` point into. */
  readonly root: PlainObject;
  readonly name: string;
  readonly depth: number;
}

// A schema that requires itself has no finite instance; deeper values become `null`.
const maxDepth = 12;

function fill(schema: unknown, position: Position): unknown {
  if (!isPlainObject(schema) || position.depth > maxDepth) return null;
  const resolved = resolve(schema, position);
  if (resolved !== schema) return fill(resolved, { ...position, depth: position.depth + 1 });
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return chooseOption(schema.enum, position);
  const fillType = fillers[toType(schema)];
  return fillType === undefined ? null : fillType(schema, position);
}

type Filler = (schema: PlainObject, position: Position) => unknown;

const fillers: Readonly<Record<string, Filler>> = {
  object: fillObject,
  array: fillArray,
  string: fillString,
  number: fillNumber,
  integer: fillNumber,
  boolean: fillBoolean,
};

/** Follows references and takes the first alternative that is not `null`. */
function resolve(schema: PlainObject, position: Position): PlainObject {
  if (typeof schema.$ref === 'string') {
    const steps = schema.$ref.split('/').slice(1).map(decodeURIComponent);
    const target = steps.reduce<unknown>(
      (at, step) => (isPlainObject(at) ? at[step] : undefined),
      position.root,
    );
    return isPlainObject(target) ? target : {};
  }
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const alternatives = objectsOf(anyOf ?? oneOf);
  if (alternatives.length > 0) {
    const first = alternatives.find(alternative => alternative.type !== 'null') ?? alternatives[0];
    return { ...rest, ...first };
  }
  return Array.isArray(allOf) ? mergeAll([rest, ...objectsOf(allOf)]) : schema;
}

const mergeAll = (schemas: readonly PlainObject[]): PlainObject => ({
  ...Object.assign({}, ...schemas),
  properties: Object.assign({}, ...schemas.map(schema => schema.properties)),
  required: schemas.flatMap(schema => (Array.isArray(schema.required) ? schema.required : [])),
});

function toType(schema: PlainObject): string {
  const types = [schema.type].flat();
  const type = types.find(name => name !== 'null' && name !== undefined);
  if (typeof type === 'string') return type;
  if ('properties' in schema) return 'object';
  if ('items' in schema) return 'array';
  return types.includes('null') ? 'null' : 'string';
}

/** Returns the option that the text mentions, or the first. */
function chooseOption(options: readonly unknown[], position: Position): unknown {
  const text = position.pool.text.toLowerCase();
  const named = options.find(option => option !== null && isMentioned(text, String(option).toLowerCase()));
  return named ?? options[0];
}

const isMentioned = (text: string, word: string): boolean => {
  const index = text.indexOf(word);
  if (word === '' || index < 0) return false;
  const around = `${text[index - 1] ?? ' '}${text[index + word.length] ?? ' '}`;
  return !/[\p{L}\p{N}]/u.test(around);
};

function fillObject(schema: PlainObject, position: Position): PlainObject {
  const properties = objectOf(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const depth = position.depth + 1;
  return Object.fromEntries(
    required.map(name => [name, fill(properties?.[name] ?? {}, { ...position, name, depth })]),
  );
}

function fillArray(schema: PlainObject, position: Position): unknown[] {
  const tuple = objectsOf(schema.prefixItems);
  const inner = { ...position, depth: position.depth + 1 };
  if (tuple.length > 0) return tuple.map(item => fill(item, inner));
  const items = isPlainObject(schema.items) ? schema.items : {};
  const listed = takeList(items, position);
  const minimum = Math.max(numberOf(schema.minItems) ?? 1, 1);
  const missing = Array.from({ length: Math.max(minimum - listed.length, 0) }, () => fill(items, inner));
  return [...listed, ...missing].slice(0, numberOf(schema.maxItems));
}

/** Fills a list of numbers or strings with all numbers or quoted strings of the message. */
function takeList(items: PlainObject, position: Position): unknown[] {
  if ('enum' in items || '$ref' in items || 'anyOf' in items) return [];
  const type = toType(items);
  if (type === 'number' || type === 'integer') return position.pool.takeNumbers();
  return type === 'string' ? position.pool.takeQuoted() : [];
}

function fillString(schema: PlainObject, position: Position): string {
  const fallback = typeof schema.default === 'string' ? schema.default : position.pool.text;
  return (position.pool.takeString(position.name, schema) ?? fallback).slice(0, numberOf(schema.maxLength));
}

function fillNumber(schema: PlainObject, position: Position): number {
  const minimum = numberOf(schema.minimum) ?? Number.NEGATIVE_INFINITY;
  const maximum = numberOf(schema.maximum) ?? Number.POSITIVE_INFINITY;
  const value = position.pool.takeNumber() ?? numberOf(schema.default) ?? 1;
  const rounded = toType(schema) === 'integer' ? Math.round(value) : value;
  return Math.min(Math.max(rounded, minimum), maximum);
}

function fillBoolean(schema: PlainObject, position: Position): boolean {
  const words = position.name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
  if (
    new RegExp(`\\b(no|not|without|don't)\\s+${words.replace(/[^\w ]/g, '')}\\b`, 'i').test(
      position.pool.text,
    )
  )
    return false;
  return typeof schema.default === 'boolean' ? schema.default : true;
}

/** The values that a message contains. Each is returned once. */
export interface ValuePool {
  readonly text: string;
  takeNumber(): number | undefined;
  takeNumbers(): number[];
  takeQuoted(): string[];
  /** Returns the string that fits the property best, or `undefined` if the text contains no candidate. */
  takeString(property: string, schema: PlainObject): string | undefined;
}

export function createValuePool(text: string): ValuePool {
  const quoted = matchAll(text, quotes);
  const unquoted = text.replace(quotes, ' ');
  const numbers = matchAll(unquoted, /(?<![\w.])-?\d+(?:\.\d+)?(?!\w*[/\\])/g).map(Number);
  const names = matchAll(unquoted, nouns);

  function takeKind(property: string, schema: PlainObject): string | undefined {
    const kind = kinds.find(({ appliesTo }) => appliesTo.test(`${property} ${String(schema.format ?? '')}`));
    const found = kind === undefined ? undefined : kind.pattern.exec(text)?.[0];
    const index = found === undefined ? -1 : quoted.indexOf(found);
    if (index >= 0) quoted.splice(index, 1);
    return found;
  }

  return {
    text,
    takeNumber: () => numbers.shift(),
    takeNumbers: () => numbers.splice(0),
    takeQuoted: () => quoted.splice(0),
    takeString: (property, schema) => takeKind(property, schema) ?? quoted.shift() ?? names.shift(),
  };
}

// An apostrophe starts a quotation only at the beginning of a word, so "what's" does not.
const quotes = /"([^"]+)"|“([^”]+)”|`([^`]+)`|(?<![\w])'([^']+)'(?!\w)/g;

/** Names after a preposition: "in New York", "for Ada". */
const nouns = /\b(?:in|for|of|to|at|about|from|named|called)\s+(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)/gu;

/** Patterns for strings, selected by the name or format of the property. */
const kinds: readonly { readonly appliesTo: RegExp; readonly pattern: RegExp }[] = [
  { appliesTo: /ur[il]\b|link/i, pattern: /https?:\/\/[^\s"'`,)]*[^\s"'`,).?!]/ },
  { appliesTo: /e-?mail/i, pattern: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/ },
  { appliesTo: /date/i, pattern: /\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?/ },
  {
    appliesTo: /path|file|dir|folder/i,
    pattern: /(?:\.{0,2}\/[\w.@-][\w./@-]*[\w/]|[\w@-][\w./@-]*\.\w{1,5}\b)/,
  },
  { appliesTo: /expression|formula/i, pattern: /[-(]?\d[\d\s+*/().^-]*[\d)]/ },
];

const matchAll = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(match => match.slice(1).find(group => group !== undefined) ?? match[0]);
