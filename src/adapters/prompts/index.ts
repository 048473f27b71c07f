import { deepseek, deepseekV4, deepseekV41, dsml } from './deepseek-prompts.js';
import * as tags from './tag-prompts.js';
import { hermes, jsonCall, lines, listPrompt, toolResponse } from './tag-prompts.js';
import type { ToolPrompt } from './tool-prompt.js';

/* The syntaxes with special tokens, JSON and Python, and the catalogue of all. */

const chatTools = '[AVAILABLE_TOOLS]{list}[/AVAILABLE_TOOLS]';

/** Mistral, up to tokenizer v7. */
const mistral: ToolPrompt = {
  tools: chatTools,
  call: '{"name": "{name}", "arguments": {arguments}, "id": "{id}"}',
  callSeparator: ', ',
  calls: '[TOOL_CALLS][{calls}]',
  callGap: '',
  result: '[TOOL_RESULTS]{"content": {json}, "call_id": "{id}"}[/TOOL_RESULTS]',
  resultSeparator: '',
  formats: ['mistral'],
};

const mistralV11: ToolPrompt = {
  ...mistral,
  call: '[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{arguments}',
  callSeparator: '',
  calls: undefined,
  result: '[TOOL_RESULTS]{id}[TOOL_CONTENT]{text}[/TOOL_RESULTS]',
};

const mistralV13: ToolPrompt = {
  ...mistralV11,
  call: '[TOOL_CALLS]{name}[ARGS]{arguments}',
  result: '[TOOL_RESULTS]{text}[/TOOL_RESULTS]',
};

/** Kimi K2, which numbers the calls of a conversation. */
const kimi: ToolPrompt = {
  tools: '{list}',
  place: 'message-before',
  call: '<|tool_call_begin|>functions.{name}:{number}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>',
  callSeparator: '',
  calls: '<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>',
  callGap: '',
  result: '## Return of functions.{name}:{number}\n{text}',
  formats: ['kimi'],
};

/** Kimi K3, which numbers the calls of a message. */
const kimiK3: ToolPrompt = {
  tools: '# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n{sorted}\n```',
  place: 'message-before',
  call: '<|open|>call tool="{name}" index="{place}"<|sep|>{arguments}<|close|>call<|sep|>',
  callSeparator: '',
  calls: '<|open|>tools<|sep|>{calls}<|close|>tools<|sep|>',
  callGap: '',
  argument: '<|open|>argument key="{key}" type="{type}"<|sep|>{value}<|close|>argument<|sep|>',
  escaped: '<|close|>argument<|sep|>',
  result: '## Return of {name} {place}\n{text}',
  formats: ['kimiK3'],
};

const gemma4: ToolPrompt = {
  tools: '{tools}',
  tool: '<|tool>{gemma}<tool|>',
  toolSeparator: '',
  gap: '',
  call: '<|tool_call>call:{name}{arguments}<tool_call|>',
  callSeparator: '',
  callGap: '',
  values: 'gemma',
  result: '<|tool_response>response:{name}{value:<|"|>{text}<|"|>}<tool_response|>',
  resultSeparator: '',
  formats: ['gemma4'],
};

/**
 * gpt-oss. The line after the tools is in the system message of its template, which no message reaches.
 *
 * @see https://cookbook.openai.com/articles/openai-harmony
 */
const harmony: ToolPrompt = {
  tools: lines(
    '# Tools',
    '',
    '## functions',
    '',
    'namespace functions {',
    '',
    '{tools}',
    '} // namespace functions',
    '',
    "Calls to these tools must go to the commentary channel: 'functions'.",
  ),
  tool: '{types}',
  call: '<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>',
  callSeparator: '<|start|>assistant',
  escaped: '<|',
  result: '<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{text}<|end|>',
  formats: ['harmony'],
};

/** The custom tools of Llama 3.1 and later. */
const llama: ToolPrompt = {
  tools: lines(
    'Given the following functions, please respond with a JSON for a function call with its proper arguments if a function is needed to answer the prompt.',
    '',
    'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}, without other text. Separate several calls with semicolons. Do not use variables. If no function is needed, answer in plain text.',
    '',
    '{tools}',
  ),
  call: '{"name": "{name}", "parameters": {arguments}}',
  callSeparator: '; ',
  result: '{"function": "{name}", "output": {json}}',
  formats: ['llama', 'bareJson'],
};

/** Llama 4. */
const pythonic: ToolPrompt = {
  tools: lines(
    'Here is a list of functions in JSON format that you can invoke:',
    '{functions}',
    '',
    'If you decide to invoke any of the functions, put it in the format of a list of Python calls, and include no other text in the response:',
    '[example_function_name(example_parameter_1="value_1", example_parameter_2=2)]',
    'Separate several calls with commas. If no function is needed, answer in plain text.',
  ),
  call: '{name}({arguments})',
  callSeparator: ', ',
  calls: '[{calls}]',
  argument: '{key}={value}',
  argumentSeparator: ', ',
  values: 'python',
  result: '{"function": "{name}", "output": {json}}',
  formats: ['pythonic'],
};

const lfm2: ToolPrompt = {
  ...pythonic,
  tools: lines(
    'List of tools: <|tool_list_start|>{functions}<|tool_list_end|>',
    '',
    'To call tools, write a list of Python calls between these markers:',
    '<|tool_call_start|>[example_function_name(example_parameter_1="value_1")]<|tool_call_end|>',
  ),
  calls: '<|tool_call_start|>[{calls}]<|tool_call_end|>',
  result: '<|tool_response_start|>{text}<|tool_response_end|>',
  formats: ['lfm', 'pythonic'],
};

const olmo3: ToolPrompt = {
  ...pythonic,
  tools: lines(
    'You are provided with function signatures within <functions></functions> XML tags. You may call one or more functions to assist with the user query.',
    '',
    'Output any function calls within <function_calls></function_calls> XML tags, one Python call per line:',
    '<function_calls>',
    'example_function_name(example_parameter_1="value_1")',
    '</function_calls>',
    '',
    '<functions>{functions}</functions>',
  ),
  callSeparator: '\n',
  calls: '<function_calls>\n{calls}\n</function_calls>',
  result: '<function_results>\n{text}\n</function_results>',
  formats: ['olmo'],
};

const commandR = listPrompt(
  {
    open: '<|START_ACTION|>',
    close: '<|END_ACTION|>',
    call: '{"tool_call_id": "{number}", "tool_name": "{name}", "parameters": {arguments}}',
  },
  {
    tools: lines(
      '# Available Tools',
      '```json',
      '{indented}',
      '```',
      '',
      'To call tools, end your response with a list of actions:',
      '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "example_function_name", "parameters": {"example_parameter_1": "value_1"}}]<|END_ACTION|>',
    ),
    result: '{"tool_call_id": "{number}", "results": {"0": {json}}}',
    resultSeparator: ', ',
    results: '<|START_TOOL_RESULT|>[{results}]<|END_TOOL_RESULT|>',
    formats: ['commandR'],
  },
);

/** The instructions of Granite 3 are in its default system message. */
const granite = listPrompt(
  { open: '<|tool_call|>', close: '' },
  {
    tools: '{indented}',
    place: 'message-after',
    system:
      "You are a helpful assistant with access to the following tools. When a tool is required to answer the user's query, respond only with <|tool_call|> followed by a JSON list of tools used. If a tool does not exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request.",
    formats: ['granite'],
  },
);

/** The default tool format of LM Studio, for models without their own. */
const toolRequest: ToolPrompt = {
  tools: lines(
    'You have access to these tools:',
    '',
    '[AVAILABLE_TOOLS]',
    '{tools}',
    '[END_AVAILABLE_TOOLS]',
    '',
    'To call a tool, write its name and arguments as JSON between these markers, once for each call:',
    '[TOOL_REQUEST]{"name": "example_function_name", "arguments": {"example_parameter_1": "value_1"}}[END_TOOL_REQUEST]',
  ),
  call: `[TOOL_REQUEST]${jsonCall}[END_TOOL_REQUEST]`,
  result: '[TOOL_RESULT]\n{text}\n[END_TOOL_RESULT]',
  formats: ['toolRequest'],
};

const nemotron = listPrompt(
  { open: '<TOOLCALL>', close: '</TOOLCALL>' },
  {
    result: '{json}',
    resultSeparator: ', ',
    results: '<TOOL_RESPONSE>[{results}]</TOOL_RESPONSE>',
    formats: ['nemotron'],
  },
);

const internlm: ToolPrompt = {
  tools: lines(
    '{functions}',
    '',
    'To call a tool, end your response with its name and parameters in this format:',
    '<|action_start|><|plugin|>\n{"name": "example_function_name", "parameters": {"example_parameter_1": "value_1"}}<|action_end|>',
  ),
  place: 'message-after',
  call: '<|action_start|><|plugin|>\n{"name": "{name}", "parameters": {arguments}}<|action_end|>',
  callSeparator: '',
  result: '{text}',
  formats: ['internlm'],
};

const minicpm5: ToolPrompt = {
  ...hermes,
  tools: hermes.tools.replace(
    /return a json object[^]*/,
    'write the function name and its parameters as XML:\n<function name="function-name"><param name="param-name">value</param></function>',
  ),
  call: '<function name="{name}">{arguments}</function>',
  argument: '<param name="{key}">{value}</param>',
  formats: ['minicpm'],
};

/** The syntaxes by name. Rows of plain JSON, which an application can extend and register as its own. */
export const prompts: Readonly<Record<string, ToolPrompt>> = {
  hermes,
  'qwen-xml': tags.qwenXml,
  'qwen3.5': tags.qwen35,
  'command-r': commandR,
  deepseek,
  'deepseek-v4': deepseekV4,
  'deepseek-v4.1': deepseekV41,
  dsml,
  gemma4,
  glm: tags.glm,
  'glm-4.7': tags.glm47,
  granite,
  granite4: tags.granite4,
  harmony,
  hunyuan: listPrompt({ open: '<tool_calls>', close: '</tool_calls>' }, { formats: ['hunyuan'] }),
  internlm,
  kimi,
  'kimi-k3': kimiK3,
  lfm2,
  llama,
  longcat: tags.longcat,
  minicpm5,
  minimax: tags.minimax,
  'minimax-m3': tags.minimaxM3,
  mistral,
  'mistral-v11': mistralV11,
  'mistral-v13': mistralV13,
  nemotron,
  nemotron3: tags.nemotron3,
  olmo3,
  phi: listPrompt(
    { open: '<|tool_call|>', close: '<|/tool_call|>' },
    { tools: '<|tool|>{functions}<|/tool|>', gap: '', result: toolResponse, formats: ['phiToken'] },
  ),
  pythonic,
  'seed-oss': tags.seed,
  'step3.5': tags.step35,
  'tool-elements': tags.toolElements,
  'tool-request': toolRequest,
  xlam: listPrompt({ open: '', close: '' }, { formats: ['xlam', 'bareList'] }),
  'yaml-elements': tags.yamlElements,
};
