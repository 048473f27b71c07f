import type { FunctionTool } from '../../core/prompt.js';
import type { PlainObject } from '../../shared/json.js';

/** Writes tools, calls and results as the chat template of a family writes them. */
export interface ToolPrompt {
  /** Declares tools and explains the syntax of calls, for the system message. */
  tools(tools: readonly FunctionTool[]): string;
  /** Writes the calls of one message. */
  calls(calls: readonly PromptCall[]): string;
  /** Writes the results of one round, for a user message. */
  results(results: readonly PromptResult[]): string;
}

/** A call in the history, which a prompt writes. */
export interface PromptCall {
  readonly id: string;
  readonly name: string;
  readonly input: PlainObject;
}

/** The result of a call, as text. */
export interface PromptResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Joins lines. */
export const lines = (...texts: readonly string[]): string => texts.join('\n');

/** Creates a writer that writes each item and joins them with line breaks. */
export const each =
  <Item>(write: (item: Item) => string) =>
  (items: readonly Item[]): string =>
    items.map(write).join('\n');

/** The declaration of a function as most chat templates write it. */
export const toFunction = ({
  name,
  description,
  inputSchema,
}: FunctionTool): { name: string; description?: string; parameters: PlainObject } => {
  const { $schema: _version, ...parameters } = inputSchema as PlainObject;
  return { name, ...(description !== undefined && { description }), parameters };
};

/** `{"type": "function", "function": {…}}` */
export const toJsonTool = (tool: FunctionTool): string =>
  JSON.stringify({ type: 'function', function: toFunction(tool) });

/** The list of tools in the templates of Hermes and of families that follow it. */
export const toSignatures = (tools: readonly FunctionTool[]): string =>
  lines(
    '# Tools',
    '',
    'You may call one or more functions to assist with the user query.',
    '',
    'You are provided with function signatures within <tools></tools> XML tags:',
    '<tools>',
    ...tools.map(toJsonTool),
    '</tools>',
  );

/** The tags around a result in these templates. */
export const toolResponse = { open: '<tool_response>', close: '</tool_response>' };

/** `{"name": …, "arguments": {…}}` */
export const toJsonCall = ({ name, input }: PromptCall): string => JSON.stringify({ name, arguments: input });

/** The formats with tags contain strings without quotes, and other values as JSON. */
export const toValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Writes each argument of a call. */
export const toArguments = (
  { input }: PromptCall,
  write: (key: string, value: string, isText: boolean) => string,
): string[] =>
  Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => write(key, toValue(value), typeof value === 'string'));

/**
 * Encloses a result in tags. Closing tags inside the result are escaped, because everything after them would be read as
 * the text of the user.
 *
 * @param outer The closing tags around the results.
 */
export const enclose = (
  text: string,
  {
    open,
    close,
    outer = [],
    separator = '\n',
  }: { open: string; close: string; outer?: readonly string[]; separator?: string },
): string => {
  return [open, [close, ...outer].reduce(escapeMarker, text), close].join(separator);
};

/** Inserts a backslash into each occurrence of a marker. */
export const escapeMarker = (text: string, marker: string): string =>
  text.replaceAll(marker, `${marker.slice(0, 1)}\\${marker.slice(1)}`);

/** Writes a value as JSON in which a closing marker is escaped. */
export const toJsonWithout = (marker: string, value: unknown): string =>
  JSON.stringify(value).replaceAll(
    marker,
    `\\u${marker.charCodeAt(0).toString(16).padStart(4, '0')}${marker.slice(1)}`,
  );

/** A call that shows the syntax. */
export const exampleCall: PromptCall = {
  id: 'functions.example_function_name:0',
  name: 'example_function_name',
  input: { example_parameter_1: 'value_1', example_parameter_2: 2 },
};
