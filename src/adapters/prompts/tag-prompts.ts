import type { ToolPrompt } from './tool-prompt.js';

/*
 * The syntaxes of tool prompts, by their names in `toolPrompting`: what the chat templates of the families render.
 */

const lines = (...texts: readonly string[]): string => texts.join('\n');

const inTags = lines(
  'You are provided with function signatures within <tools></tools> XML tags:',
  '<tools>',
  '{tools}',
  '</tools>',
);

/** The list of tools in the templates of Hermes and of families that follow it. */
const signatures = (end: string): string =>
  lines(
    '# Tools',
    '',
    'You may call one or more functions to assist with the user query.',
    '',
    inTags,
    '',
    end,
  );

const jsonCall = '{"name": "{name}", "arguments": {arguments}}';
const toolResponse = '<tool_response>\n{text}\n</tool_response>';

/** The section of Qwen 2.5 and 3, whose templates are those of Hermes. */
const hermes: ToolPrompt = {
  tools: signatures(
    lines(
      'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:',
      '<tool_call>',
      '{"name": <function-name>, "arguments": <args-json-object>}',
      '</tool_call>',
    ),
  ),
  call: `<tool_call>\n${jsonCall}\n</tool_call>`,
  result: toolResponse,
  formats: ['hermes'],
};

const granite4: ToolPrompt = {
  ...hermes,
  tools: lines(
    'You are a helpful assistant with access to the following tools. You may call one or more tools to assist with the user query.',
    '',
    inTags,
    '',
    'For each tool call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:',
    '<tool_call>',
    '{"name": <function-name>, "arguments": <args-json-object>}',
    '</tool_call>. If a tool does not exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request.',
  ),
};

const jsonList = '[{"name": "example_function_name", "arguments": {"example_parameter_1": "value_1"}}]';

/** Creates the prompt of a family that writes one JSON list of calls between markers. */
const listPrompt = (
  { open, close, call = jsonCall }: { open: string; close: string; call?: string },
  row: Pick<ToolPrompt, 'formats'> & Partial<ToolPrompt>,
): ToolPrompt => ({
  tools: lines(
    '# Tools',
    '',
    '{list}',
    '',
    'To call tools, end your response with a JSON list of calls in this format:',
    `${open}${jsonList}${close}`,
  ),
  call,
  callSeparator: ', ',
  calls: `${open}[{calls}]${close}`,
  result: toolResponse,
  ...row,
});

/** The call in the templates of Qwen3-Coder and its relatives, and the examples in their texts. */
const functionCall = '<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>';
const exampleCall = (second: string): string =>
  lines(
    '<tool_call>',
    '<function=example_function_name>',
    '<parameter=example_parameter_1>',
    'value_1',
    '</parameter>',
    '<parameter=example_parameter_2>',
    second,
    '</parameter>',
    '</function>',
    '</tool_call>',
  );
const longExample = exampleCall('This is the value for the second parameter\nthat can span\nmultiple lines');
const onlyThen = (noun: string): string =>
  `If you choose to call a ${noun} ONLY reply in the following format with NO suffix:`;
const reminder = (format: string): string =>
  lines(
    '<IMPORTANT>',
    'Reminder:',
    `- Function calls MUST follow the specified format: ${format}`,
    '- Required parameters MUST be specified',
    '- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after',
    '- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls',
    '</IMPORTANT>',
  );
const nestedTags =
  'an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags';

/** Qwen3-Coder: a function with a tag for each parameter. */
const qwenXml: ToolPrompt = {
  tools: lines(
    '# Tools',
    '',
    'You have access to the following tools:',
    '',
    '<tools>',
    '{tools}',
    '</tools>',
    '',
    onlyThen('tool'),
    '',
    exampleCall('value_2'),
    '',
    reminder(
      'the tool calling block MUST begin with an opening <tool_call> tag and end with a closing </tool_call> tag.',
    ),
  ),
  tool: '{xml}',
  call: functionCall,
  callGap: '\n\n',
  argument: '<parameter={key}>\n{value}\n</parameter>\n',
  result: toolResponse,
  formats: ['qwenXml'],
};

const functions = (first: string, end: string): string =>
  lines(
    '# Tools',
    '',
    first,
    '',
    '<tools>',
    '{tools}',
    '</tools>',
    '',
    onlyThen('function'),
    '',
    longExample,
    '',
    end,
  );

const qwen35: ToolPrompt = {
  ...qwenXml,
  tools: functions('You have access to the following functions:', reminder(nestedTags)),
  tool: '{tool}',
  place: 'before',
};

const nemotron3: ToolPrompt = {
  ...qwen35,
  tool: '{xml}',
  xml: { first: ['type', 'description', 'enum'], last: ['required'] },
  place: 'after',
  callGap: '\n',
};

const step35: ToolPrompt = {
  ...qwen35,
  tools: functions(
    'You have access to the following functions in JSONSchema format:',
    lines(
      '<IMPORTANT>',
      'Reminder:',
      '- Function calls MUST follow the specified format: an inner <function=...>\n...\n</function> block must be nested within <tool_call>\n...\n</tool_call> XML tags',
      '- Required parameters MUST be specified',
      '</IMPORTANT>',
    ),
  ),
  place: 'after',
  callGap: '',
  callSeparator: '',
  result: '<tool_response>{text}</tool_response>',
  resultSeparator: '',
};

/** Values of Seed-OSS keep the line breaks around them. */
const seed: ToolPrompt = {
  ...nemotron3,
  tools: nemotron3.tools
    .replaceAll('tool_call>', 'seed:tool_call>')
    .replaceAll(/(?<=parameter_\d>)\n|\n(?=<\/parameter)/g, ''),
  call: functionCall.replaceAll('tool_call>', 'seed:tool_call>'),
  argument: '<parameter={key}>{value}</parameter>\n',
  formats: ['seed'],
};

const glm: ToolPrompt = {
  tools: signatures(
    lines(
      'For each function call, output the function name and arguments within the following XML format:',
      '<tool_call>{function-name}',
      '<arg_key>{arg-key-1}</arg_key>',
      '<arg_value>{arg-value-1}</arg_value>',
      '<arg_key>{arg-key-2}</arg_key>',
      '<arg_value>{arg-value-2}</arg_value>',
      '...',
      '</tool_call>',
    ),
  ),
  place: 'message-before',
  call: '<tool_call>{name}\n{arguments}</tool_call>',
  argument: '<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n',
  result: toolResponse,
  formats: ['glm'],
};

/** GLM 4.7 and later write calls without line breaks. */
const glm47: ToolPrompt = {
  ...glm,
  tools: glm.tools.replace(/<tool_call>\{[^]*/, compact => compact.replaceAll('\n', '')),
  call: '<tool_call>{name}{arguments}</tool_call>',
  callGap: '',
  callSeparator: '',
  argument: '<arg_key>{key}</arg_key><arg_value>{value}</arg_value>',
  result: '<tool_response>{text}</tool_response>',
  resultSeparator: '',
};

const longcat: ToolPrompt = {
  ...hermes,
  tools: hermes.tools.replaceAll('tool_call>', 'longcat_tool_call>'),
  call: hermes.call.replaceAll('tool_call>', 'longcat_tool_call>'),
  formats: ['longcat'],
};

/** The tools of MiniMax, before the explanation of calls. */
const minimaxTools = lines(
  '# Tools',
  'You may call one or more tools to assist with the user query.',
  'Here are the tools available in JSONSchema format:',
  '',
  '<tools>',
  '{tools}',
  '</tools>',
  '',
);

const minimax: ToolPrompt = {
  tools: lines(
    `${minimaxTools}When making tool calls, use XML format to invoke tools and pass parameters:`.replace(
      '\nWhen',
      '\n\nWhen',
    ),
    '',
    '<minimax:tool_call>',
    '<invoke name="tool-name-1">',
    '<parameter name="param-key-1">param-value-1</parameter>',
    '<parameter name="param-key-2">param-value-2</parameter>',
    '...',
    '</invoke>',
    '</minimax:tool_call>',
  ),
  tool: '<tool>{function}</tool>',
  call: '<invoke name="{name}">\n{arguments}</invoke>',
  calls: '<minimax:tool_call>\n{calls}\n</minimax:tool_call>',
  argument: '<parameter name="{key}">{value}</parameter>\n',
  result: '<response>{text}</response>',
  formats: ['minimax'],
};

const M3 = ']<]minimax[>[';

const minimaxM3: ToolPrompt = {
  ...minimax,
  tools: lines(
    minimaxTools,
    `When making tool calls, write ${M3} before each tag, and one element for each parameter, member and item:`,
    '',
    `${M3}<tool_call>`,
    `${M3}<invoke name="tool-name-1">${M3}<param-key-1>param-value-1${M3}</param-key-1>${M3}</invoke>`,
    `${M3}</tool_call>`,
  ),
  call: `${M3}<invoke name="{name}">{arguments}${M3}</invoke>`,
  calls: `${M3}<tool_call>\n{calls}\n${M3}</tool_call>`,
  argument: undefined,
  noArguments: '',
  values: 'm3',
  formats: ['minimaxM3'],
};

/** Any model can write it: Cline, Roo Code and `morphXml` of `@ai-sdk-tool/parser`. */
const toolElements: ToolPrompt = {
  tools: lines(
    '# Tools',
    '',
    inTags,
    '',
    'To call a tool, write an element with its name, and one element for each parameter:',
    '<example_tool_name>',
    '<example_parameter_1>value_1</example_parameter_1>',
    '</example_tool_name>',
    'Write an object or a list as JSON. Write no other text in the element of a tool.',
  ),
  call: '<{name}>\n{arguments}</{name}>',
  argument: '<{key}>{value}</{key}>\n',
  result: toolResponse,
  formats: ['toolElements'],
};

/** The same with the arguments in YAML, of which JSON is a part. */
const yamlElements: ToolPrompt = {
  ...toolElements,
  tools: lines(
    '# Tools',
    '',
    inTags,
    '',
    'To call a tool, write an element with its name, and its parameters as YAML:',
    '<example_tool_name>',
    'example_parameter_1: value_1',
    'example_parameter_2: |',
    '  a text of',
    '  several lines',
    '</example_tool_name>',
    'Write texts with special characters in double quotes.',
  ),
  argument: '{key}: {value}\n',
  values: 'json',
  formats: ['yamlElements'],
};

export { toolElements, yamlElements };
export { glm, glm47, granite4, hermes, jsonCall, lines, listPrompt, longcat };
export { minimax, minimaxM3, nemotron3, qwen35, qwenXml, seed, step35, toolResponse };
