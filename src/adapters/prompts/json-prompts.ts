import {
  each,
  enclose,
  exampleCall,
  lines,
  toFunction,
  toJsonCall,
  toJsonTool,
  toJsonWithout,
  toolResponse,
  type ToolPrompt,
  toSignatures,
} from './tool-prompt.js';

/** The `# Tools` section of Qwen 2.5 and 3, whose templates are those of Hermes. */
export const hermesPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      toSignatures(tools),
      '',
      'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:',
      '<tool_call>',
      '{"name": <function-name>, "arguments": <args-json-object>}',
      '</tool_call>',
    ),
  calls: each(call => lines('<tool_call>', toJsonCall(call), '</tool_call>')),
  results: each(({ text }) => enclose(text, toolResponse)),
};

/** DeepSeek V3.1. */
export const deepseekPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      '## Tools',
      'You have access to the following tools:',
      ...tools.flatMap(tool => {
        const { name, description = '', parameters } = toFunction(tool);
        return [
          '',
          `### ${name}`,
          `Description: ${description}`,
          '',
          `Parameters: ${JSON.stringify(parameters)}`,
        ];
      }),
      '',
      'IMPORTANT: ALWAYS adhere to this exact format for tool use:',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{{additional_tool_calls}}<｜tool▁calls▁end｜>',
      '',
      'Where:',
      '- `tool_call_name` must be an exact match to one of the available tools',
      "- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema",
      '- For multiple tool calls, chain them directly without separators or spaces',
    ),
  calls: calls => {
    const written = calls.map(
      ({ name, input }) =>
        `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${JSON.stringify(input)}<｜tool▁call▁end｜>`,
    );
    return `<｜tool▁calls▁begin｜>${written.join('')}<｜tool▁calls▁end｜>`;
  },
  results: each(({ text }) =>
    enclose(text, { open: '<｜tool▁output▁begin｜>', close: '<｜tool▁output▁end｜>', separator: '' }),
  ),
};

const toLlamaCall = ({ name, input }: { name: string; input: object }): string =>
  JSON.stringify({ name, parameters: input });

/** The custom tools of Llama 3.1 and later. */
export const llamaPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      'Given the following functions, please respond with a JSON for a function call with its proper arguments if a function is needed to answer the prompt.',
      '',
      'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}, without other text. Separate several calls with semicolons. Do not use variables. If no function is needed, answer in plain text.',
      '',
      ...tools.map(toJsonTool),
    ),
  calls: calls => calls.map(toLlamaCall).join('; '),
  results: each(({ name, text }) => JSON.stringify({ function: name, output: text })),
};

const toMistralCalls: ToolPrompt['calls'] = calls =>
  `[TOOL_CALLS]${JSON.stringify(calls.map(({ name, input, id }) => ({ name, arguments: input, id })))}`;

/** Mistral, up to tokenizer v7. */
export const mistralPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      `[AVAILABLE_TOOLS]${JSON.stringify(tools.map(tool => ({ type: 'function', function: toFunction(tool) })))}[/AVAILABLE_TOOLS]`,
      '',
      'To call tools, end your response with [TOOL_CALLS] and a JSON list:',
      `[TOOL_CALLS][${toJsonCall(exampleCall)}]`,
    ),
  calls: toMistralCalls,
  results: each(
    ({ id, text }) =>
      `[TOOL_RESULTS]${toJsonWithout('[/TOOL_RESULTS]', { content: text, call_id: id })}[/TOOL_RESULTS]`,
  ),
};

const toCommandRCalls: ToolPrompt['calls'] = calls => {
  const list = calls.map(({ name, input }, index) => ({
    tool_call_id: String(index),
    tool_name: name,
    parameters: input,
  }));
  return `<|START_ACTION|>${JSON.stringify(list)}<|END_ACTION|>`;
};

/** Command R7B and Command A. */
export const commandRPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      '# Available Tools',
      '```json',
      JSON.stringify(tools.map(toFunction), undefined, 2),
      '```',
      '',
      'To call tools, end your response with a list of actions:',
      toCommandRCalls([exampleCall]),
    ),
  calls: toCommandRCalls,
  results: results => {
    const list = results.map(({ text }, index) => ({ tool_call_id: String(index), results: { 0: text } }));
    return `<|START_TOOL_RESULT|>${toJsonWithout('<|END_TOOL_RESULT|>', list)}<|END_TOOL_RESULT|>`;
  },
};

/** The default tool format of LM Studio, for models without their own. */
export const toolRequestPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      'You have access to these tools:',
      '',
      '[AVAILABLE_TOOLS]',
      ...tools.map(toJsonTool),
      '[END_AVAILABLE_TOOLS]',
      '',
      'To call a tool, write its name and arguments as JSON between these markers, once for each call:',
      `[TOOL_REQUEST]${toJsonCall(exampleCall)}[END_TOOL_REQUEST]`,
    ),
  calls: each(call => `[TOOL_REQUEST]${toJsonCall(call)}[END_TOOL_REQUEST]`),
  results: each(({ text }) => enclose(text, { open: '[TOOL_RESULT]', close: '[END_TOOL_RESULT]' })),
};

const toGraniteCalls: ToolPrompt['calls'] = calls =>
  `<|tool_call|>${JSON.stringify(calls.map(({ name, input }) => ({ name, arguments: input })))}`;

/** Granite 3. */
export const granitePrompt: ToolPrompt = {
  tools: tools =>
    lines(
      'You are a helpful assistant with access to the following tools.',
      "When a tool is required to answer the user's query, respond only with <|tool_call|> followed by a JSON list of tools used:",
      toGraniteCalls([exampleCall]),
      'If a tool does not exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request.',
      '',
      JSON.stringify(tools.map(tool => ({ type: 'function', function: toFunction(tool) }))),
    ),
  calls: toGraniteCalls,
  results: each(({ text }) => enclose(text, toolResponse)),
};
