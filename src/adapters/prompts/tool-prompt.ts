import type { FunctionTool } from '../../core/prompt.js';
import type { PlainObject } from '../../core/shared/json.js';
import {
  type Dialect,
  DIALECTS,
  toGemmaTool,
  toJson,
  toTypeScriptTool,
  toXmlTool,
  typeOf,
  type XmlToolOrder,
} from './tool-declarations.js';

/**
 * The syntax in which tools, calls and results are written into the prompt, as the chat template of a family writes them.
 * A row of texts with placeholders in braces, which are plain JSON. Other braces stay as they are.
 */
export interface ToolPrompt {
  /**
   * Declares the tools and explains the syntax. `{tools}` is each tool as `tool` writes it, `{list}` the JSON list of all,
   * `{indented}` the same in lines, `{functions}` the list without `"type": "function"`, and `{sorted}` the list with
   * sorted keys and without spaces.
   */
  readonly tools: string;
  /**
   * Declares one tool: `{tool}` and `{function}` are its JSON, `{name}`, `{description}` and `{parameters}` its fields,
   * `{xml}`, `{types}` and `{gemma}` the declarations of Qwen3-Coder, gpt-oss and Gemma 4.
   * @default '{tool}'
   */
  readonly tool?: string | undefined;
  /** Separates the tools. @default a line break */
  readonly toolSeparator?: string | undefined;
  /** The order of fields in `{xml}`. @default type and description first */
  readonly xml?: XmlToolOrder | undefined;
  /**
   * The place of the tools: the system message, before or after its text, or a system message of their own.
   * @default 'after'
   */
  readonly place?: 'after' | 'before' | 'message-before' | 'message-after' | undefined;
  /** Separates the tools from the text of the system message. @default an empty line */
  readonly gap?: string | undefined;
  /** The system message of requests without one. @default none */
  readonly system?: string | undefined;
  /**
   * Writes a call: `{name}`, `{arguments}`, `{id}`, `{number}` (of the conversation, from 0) and `{place}` (in the
   * message, from 1).
   */
  readonly call: string;
  /** Separates calls. @default a line break */
  readonly callSeparator?: string | undefined;
  /** Encloses the calls of a message, as `{calls}`. @default '{calls}' */
  readonly calls?: string | undefined;
  /** Separates the calls from the text of their message. @default a line break */
  readonly callGap?: string | undefined;
  /**
   * Writes an argument: `{key}`, `{value}`, `{type}` (of the JSON value) and `{isText}` (`true` for strings).
   * @default the arguments are one value
   */
  readonly argument?: string | undefined;
  /** Separates arguments. @default nothing */
  readonly argumentSeparator?: string | undefined;
  /** Replaces the arguments of a call without any. @default nothing */
  readonly noArguments?: string | undefined;
  /**
   * The form of values: JSON, `text` (strings without quotes, other values as JSON), Python, or that of Gemma 4 or
   * MiniMax M3.
   * @default 'json', or 'text' with `argument`
   */
  readonly values?: Dialect | undefined;
  /** A marker that values cannot contain, because it would end them. It is escaped. @default none */
  readonly escaped?: string | undefined;
  /** Writes a result: `{text}`, or `{json}` (the text as a JSON string), `{name}`, `{id}`, `{number}` and `{place}`. */
  readonly result: string;
  /** Separates results. @default a line break */
  readonly resultSeparator?: string | undefined;
  /** Encloses the results of a round, as `{results}`. @default '{results}' */
  readonly results?: string | undefined;
  /** The formats that read the calls back: names of `formats`. */
  readonly formats: readonly string[];
}

/** A call in the history, which a prompt writes. */
export interface PromptCall {
  readonly id: string;
  readonly name: string;
  readonly input: PlainObject;
  /** Number of calls before it in the conversation. */
  readonly number: number;
}

export interface PromptResult extends Omit<PromptCall, 'input'> {
  readonly text: string;
}

/** Writes the messages of a conversation with tools. */
export interface PromptWriter {
  /** Returns the texts of the system messages that replace the first one. */
  declare(system: string | undefined, tools: readonly FunctionTool[]): readonly string[];
  /** Returns the text of an assistant message with calls. */
  write(text: string, calls: readonly PromptCall[]): string;
  /** Returns the text of a user message with the results of one round. */
  results(results: readonly PromptResult[]): string;
}

/** The declaration of a function as most chat templates write it. */
const toFunction = ({ name, description, inputSchema }: FunctionTool): PlainObject => {
  const { $schema: _version, ...parameters } = inputSchema as PlainObject;
  return { name, ...(description !== undefined && { description }), parameters };
};

/** The declaration of a tool in the Chat Completions API, which chat templates receive. */
export const toChatTool = (tool: FunctionTool): PlainObject => ({
  type: 'function',
  function: toFunction(tool),
});

/** Creates the writer of a syntax. */
export function createPromptWriter(prompt: ToolPrompt): PromptWriter {
  const { place = 'after', gap = '\n\n', callGap = '\n' } = prompt;
  return {
    declare(system = prompt.system, tools) {
      const text = writeTools(prompt, tools);
      if (system === undefined) return [text];
      if (place === 'message-before') return [text, system];
      if (place === 'message-after') return [system, text];
      return [place === 'before' ? `${text}${gap}${system}` : `${system}${gap}${text}`];
    },
    write: (text, calls) => [text, writeCalls(prompt, calls)].filter(part => part !== '').join(callGap),
    results: results => writeResults(prompt, results),
  };
}

/** Fills the placeholders of a text. */
const fill = (text: string, values: Readonly<Record<string, () => unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (all, key: string) =>
    Object.hasOwn(values, key) ? String(values[key]?.()) : all,
  );

function writeTools(prompt: ToolPrompt, tools: readonly FunctionTool[]): string {
  const { tool: one = '{tool}', toolSeparator = '\n' } = prompt;
  const list = (): PlainObject[] => tools.map(toChatTool);
  return fill(prompt.tools, {
    tools: () => tools.map(tool => writeTool(one, tool, prompt)).join(toolSeparator),
    list: () => toJson(list()),
    indented: () => JSON.stringify(list(), undefined, 4),
    functions: () => toJson(tools.map(toFunction)),
    sorted: () => toJson(list(), { isSorted: true }),
  });
}

function writeTool(text: string, tool: FunctionTool, { xml }: ToolPrompt): string {
  const declaration = toFunction(tool);
  return fill(text, {
    tool: () => toJson(toChatTool(tool)),
    function: () => toJson(declaration),
    name: () => tool.name,
    description: () => tool.description ?? '',
    parameters: () => toJson(declaration.parameters),
    xml: () => toXmlTool(declaration, xml),
    types: () => toTypeScriptTool(declaration),
    gemma: () => toGemmaTool(declaration),
  });
}

function writeCalls(prompt: ToolPrompt, calls: readonly PromptCall[]): string {
  const { callSeparator = '\n' } = prompt;
  const written = calls.map((call, index) =>
    fill(prompt.call, {
      ...fieldsOf(call, index),
      arguments: () => writeArguments(call.input, prompt),
    }),
  );
  return fill(prompt.calls ?? '{calls}', { calls: () => written.join(callSeparator) });
}

function writeArguments(
  input: PlainObject,
  {
    argument,
    argumentSeparator = '',
    noArguments,
    values = argument === undefined ? 'json' : 'text',
    escaped,
  }: ToolPrompt,
): string {
  const write = (value: unknown): string => {
    const text = DIALECTS[values](value);
    if (escaped === undefined) return text;
    return values === 'json' ? escapeInJson(text, escaped) : escapeMarker(text, escaped);
  };
  const entries = Object.entries(input).filter(([, value]) => value !== undefined);
  if (entries.length === 0 && noArguments !== undefined) return noArguments;
  if (argument === undefined) return write(input);
  return entries
    .map(([key, value]) =>
      fill(argument, {
        key: () => key,
        value: () => write(value),
        type: () => typeOf(value),
        isText: () => typeof value === 'string',
      }),
    )
    .join(argumentSeparator);
}

const fieldsOf = (call: Omit<PromptCall, 'input'>, index: number) => ({
  id: () => call.id,
  name: () => call.name,
  number: () => call.number,
  place: () => index + 1,
});

/**
 * Writes results. Closing markers inside a result are escaped, because everything after them would be read as the text
 * of the user.
 */
function writeResults(prompt: ToolPrompt, results: readonly PromptResult[]): string {
  const { resultSeparator = '\n', results: all = '{results}' } = prompt;
  const closers = [...(/\{(?:text|json)\}([^]*)/.exec(prompt.result)?.[1] ?? '').matchAll(MARKER)];
  const outer = [...all.slice(all.indexOf('{results}')).matchAll(MARKER)];
  const markers = [...closers, ...outer].map(([marker]) => marker);
  const written = results.map((result, index) =>
    fill(prompt.result, {
      ...fieldsOf(result, index),
      text: () => markers.reduce(escapeMarker, result.text),
      json: () => markers.reduce(escapeInJson, JSON.stringify(result.text)),
    }),
  );
  return fill(all, { results: () => written.join(resultSeparator) });
}

/** A tag or a special token. */
const MARKER = /<[^<>\s][^<>]*>|\[[^[\]\s]+\]/g;

/** Inserts a backslash into each occurrence of a marker. */
const escapeMarker = (text: string, marker: string): string =>
  text.replaceAll(marker, `${marker.slice(0, 1)}\\${marker.slice(1)}`);

/** Escapes a marker in JSON, which means the same then. */
const escapeInJson = (json: string, marker: string): string =>
  json.replaceAll(marker, `\\u${marker.charCodeAt(0).toString(16).padStart(4, '0')}${marker.slice(1)}`);
