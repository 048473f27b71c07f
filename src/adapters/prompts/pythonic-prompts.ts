import type { FunctionTool } from '../../core/prompt.js';
import { isPlainObject } from '../../shared/json.js';
import {
  each,
  enclose,
  exampleCall,
  lines,
  type PromptCall,
  toFunction,
  type ToolPrompt,
} from './tool-prompt.js';

/** Writes a JSON value as a Python literal. JSON strings are Python strings, too. */
function toPython(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${toPython(one)}`);
  return `{${entries.join(', ')}}`;
}

/** `name(key=value, …)` */
const toPythonCall = ({ name, input }: PromptCall): string =>
  `${name}(${Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${toPython(value)}`)
    .join(', ')})`;

const toPythonList: ToolPrompt['calls'] = calls => `[${calls.map(toPythonCall).join(', ')}]`;

const toList = (tools: readonly FunctionTool[]): string => JSON.stringify(tools.map(toFunction));

/** Llama 4. */
export const pythonicPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      'Here is a list of functions in JSON format that you can invoke:',
      toList(tools),
      '',
      'If you decide to invoke any of the functions, put it in the format of a list of Python calls, and include no other text in the response:',
      toPythonList([exampleCall]),
      'Separate several calls with commas. If no function is needed, answer in plain text.',
    ),
  calls: toPythonList,
  results: each(({ name, text }) => JSON.stringify({ function: name, output: text })),
};

const toLfmCalls: ToolPrompt['calls'] = calls => `<|tool_call_start|>${toPythonList(calls)}<|tool_call_end|>`;

/** LFM2. */
export const lfmPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      `List of tools: <|tool_list_start|>${toList(tools)}<|tool_list_end|>`,
      '',
      'To call tools, write a list of Python calls between these markers:',
      toLfmCalls([exampleCall]),
    ),
  calls: toLfmCalls,
  results: each(({ text }) =>
    enclose(text, { open: '<|tool_response_start|>', close: '<|tool_response_end|>', separator: '' }),
  ),
};

const toOlmoCalls: ToolPrompt['calls'] = calls =>
  lines('<function_calls>', ...calls.map(toPythonCall), '</function_calls>');

/** OLMo 3. */
export const olmoPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      'You are provided with function signatures within <functions></functions> XML tags. You may call one or more functions to assist with the user query.',
      '',
      'Output any function calls within <function_calls></function_calls> XML tags, one Python call per line:',
      toOlmoCalls([exampleCall]),
      '',
      `<functions>${toList(tools)}</functions>`,
    ),
  calls: toOlmoCalls,
  results: each(({ text }) => enclose(text, { open: '<function_results>', close: '</function_results>' })),
};
