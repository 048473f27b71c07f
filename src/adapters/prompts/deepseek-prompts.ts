import { lines } from './tag-prompts.js';
import type { ToolPrompt } from './tool-prompt.js';

/* The syntaxes of DeepSeek. */

/** DeepSeek V3.1, up to which tools are described in the system message. */
export const deepseek: ToolPrompt = {
  tools: lines(
    '## Tools',
    'You have access to the following tools:',
    '',
    '{tools}',
    '',
    'IMPORTANT: ALWAYS adhere to this exact format for tool use:',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{{additional_tool_calls}}<｜tool▁calls▁end｜>',
    '',
    'Where:',
    '- `tool_call_name` must be an exact match to one of the available tools',
    "- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema",
    '- For multiple tool calls, chain them directly without separators or spaces',
  ),
  tool: '### {name}\nDescription: {description}\n\nParameters: {parameters}',
  toolSeparator: '\n\n',
  call: '<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>',
  callSeparator: '',
  calls: '<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>',
  callGap: '',
  result: '<｜tool▁output▁begin｜>{text}<｜tool▁output▁end｜>',
  resultSeparator: '',
  formats: ['deepseek'],
};

/** The example of calls in DSML. */
const dsmlExample = (list: string, noun: string): string =>
  lines(
    `<｜DSML｜${list}>`,
    `<｜DSML｜invoke name="$${noun}_NAME">`,
    '<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>',
    '...',
    '</｜DSML｜invoke>',
    `<｜DSML｜invoke name="$${noun}_NAME2">`,
    '...',
    '</｜DSML｜invoke>',
    `</｜DSML｜${list}>`,
  );

/** DeepSeek V3.2. */
export const dsml: ToolPrompt = {
  tools: lines(
    '## Tools',
    '',
    "You have access to a set of tools you can use to answer the user's question.",
    'You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply to the user:',
    dsmlExample('function_calls', 'FUNCTION'),
    '',
    'String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types (numbers, booleans, arrays, objects).',
    '',
    'If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:',
    '',
    '<｜DSML｜function_calls>\n...\n</｜DSML｜function_calls>',
    '',
    '<function_results>\n...\n</function_results>',
    '',
    '<think>...thinking about results</think>',
    '',
    'Here are the functions available in JSONSchema format:',
    '<functions>',
    '{tools}',
    '</functions>',
    '',
  ),
  tool: '{function}',
  call: '<｜DSML｜invoke name="{name}">\n{arguments}</｜DSML｜invoke>',
  calls: '<｜DSML｜function_calls>\n{calls}\n</｜DSML｜function_calls>',
  callGap: '\n\n',
  argument: '<｜DSML｜parameter name="{key}" string="{isText}">{value}</｜DSML｜parameter>\n',
  result: '<result>{text}</result>',
  results: '<function_results>\n{results}\n</function_results>',
  formats: ['dsml'],
};

export const deepseekV4: ToolPrompt = {
  ...dsml,
  tools: lines(
    '## Tools',
    '',
    'You have access to a set of tools to help answer the user\'s question. You can invoke tools by writing a "<｜DSML｜tool_calls>" block like the following:',
    '',
    dsmlExample('tool_calls', 'TOOL'),
    '',
    'String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string="false"`.',
    '',
    'If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.',
    '',
    'Otherwise, output directly after </think> with tool calls or final response.',
    '',
    '### Available Tool Schemas',
    '',
    '{tools}',
    '',
    'You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.',
    '',
  ),
  calls: dsml.calls?.replaceAll('function_calls', 'tool_calls'),
  noArguments: '\n',
  result: '<tool_result>{text}</tool_result>',
  resultSeparator: '\n\n',
  results: undefined,
};

/** V4.1 writes a space after the second bar of each tag, and another name of the list. */
const toV41 = (text: string): string =>
  text.replaceAll('｜DSML｜tool_calls', '｜DSML｜calls').replaceAll('｜DSML｜', '｜DSML｜ ');

export const deepseekV41: ToolPrompt = {
  ...deepseekV4,
  tools: toV41(deepseekV4.tools),
  call: toV41(deepseekV4.call),
  calls: toV41(deepseekV4.calls ?? ''),
  argument: toV41(deepseekV4.argument ?? ''),
  formats: ['dsml', 'spacedDsml'],
};
