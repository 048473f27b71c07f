import type { FunctionTool } from '../../core/prompt.js';
import { objectOf } from '../../shared/json.js';
import {
  each,
  enclose,
  escapeMarker,
  exampleCall,
  lines,
  type PromptCall,
  toArguments,
  toFunction,
  toolResponse,
  type ToolPrompt,
  toSignatures,
  toValue,
} from './tool-prompt.js';

/** Declares a function in the XML of Qwen3-Coder. Fields of a parameter other than its type are written as JSON. */
function toXmlTool(tool: FunctionTool): string {
  const { name, description = '', parameters } = toFunction(tool);
  const { properties, required, ...rest } = parameters;
  const toField = ([key, value]: [string, unknown]) => `<${key}>${toValue(value)}</${key}>`;
  return lines(
    '<function>',
    `<name>${name}</name>`,
    `<description>${description}</description>`,
    '<parameters>',
    ...Object.entries(objectOf(properties) ?? {}).map(([key, schema]) =>
      lines(
        '<parameter>',
        `<name>${key}</name>`,
        ...Object.entries(objectOf(schema) ?? {}).map(toField),
        '</parameter>',
      ),
    ),
    ...(required === undefined ? [] : [toField(['required', required])]),
    ...Object.entries(rest)
      .filter(([key]) => key !== 'type')
      .map(toField),
    '</parameters>',
    '</function>',
  );
}

const toFunctionCall =
  (tag: string, separator: string) =>
  (call: PromptCall): string =>
    lines(
      `<${tag}>`,
      `<function=${call.name}>`,
      ...toArguments(call, (key, value) => [`<parameter=${key}>`, value, '</parameter>'].join(separator)),
      '</function>',
      `</${tag}>`,
    );

/** Creates the prompt of Qwen3-Coder, or of a family with the same syntax in another tag. */
function createFunctionPrompt({ tag, separator }: { tag: string; separator: string }): ToolPrompt {
  const toCall = toFunctionCall(tag, separator);
  return {
    tools: tools =>
      lines(
        '# Tools',
        '',
        'You have access to the following functions:',
        '',
        '<tools>',
        ...tools.map(toXmlTool),
        '</tools>',
        '',
        'If you choose to call a function ONLY reply in the following format with NO suffix:',
        '',
        toCall(exampleCall),
        '',
        '<IMPORTANT>',
        'Reminder:',
        `- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <${tag}></${tag}> XML tags`,
        '- Required parameters MUST be specified',
        '- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after',
        '- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls',
        '</IMPORTANT>',
      ),
    calls: each(toCall),
    results: each(({ text }) => enclose(text, toolResponse)),
  };
}

/** Qwen3-Coder: a function with a tag for each parameter, in `<tool_call>`. */
export const qwenXmlPrompt = createFunctionPrompt({ tag: 'tool_call', separator: '\n' });

/** Values of Seed-OSS keep the line breaks around them. */
export const seedPrompt = createFunctionPrompt({ tag: 'seed:tool_call', separator: '' });

const toGlmCall = (call: PromptCall): string =>
  lines(
    `<tool_call>${call.name}`,
    ...toArguments(call, (key, value) =>
      lines(`<arg_key>${key}</arg_key>`, `<arg_value>${value}</arg_value>`),
    ),
    '</tool_call>',
  );

/** GLM 4.5 and later. */
export const glmPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      toSignatures(tools),
      '',
      'For each function call, output the function name and arguments within the following XML format:',
      '<tool_call>{function-name}',
      '<arg_key>{arg-key-1}</arg_key>',
      '<arg_value>{arg-value-1}</arg_value>',
      '<arg_key>{arg-key-2}</arg_key>',
      '<arg_value>{arg-value-2}</arg_value>',
      '...',
      '</tool_call>',
    ),
  calls: each(toGlmCall),
  results: each(({ text }) => enclose(text, toolResponse)),
};

/** The variations of the `<invoke>` syntax. */
interface InvokeSyntax {
  /** The tag around a list of calls. */
  readonly list: string;
  readonly prefix?: string;
  readonly hasTypes?: boolean;
  readonly escape?: (value: string) => string;
}

const toInvokeCalls =
  ({ list, prefix = '', hasTypes = false, escape = value => value }: InvokeSyntax): ToolPrompt['calls'] =>
  calls =>
    lines(
      `<${prefix}${list}>`,
      ...calls.map(call =>
        lines(
          `<${prefix}invoke name="${call.name}">`,
          ...toArguments(
            call,
            (key, value, isText) =>
              `<${prefix}parameter name="${key}"${hasTypes ? ` string="${isText}"` : ''}>${escape(value)}</${prefix}parameter>`,
          ),
          `</${prefix}invoke>`,
        ),
      ),
      `</${prefix}${list}>`,
    );

/** Creates the prompt of a MiniMax model. */
const createMinimaxPrompt = (
  calls: ToolPrompt['calls'],
  { instruction }: { instruction: string },
): ToolPrompt => ({
  tools: tools =>
    lines(
      '# Tools',
      'You may call one or more tools to assist with the user query.',
      'Here are the tools available in JSONSchema format:',
      '',
      '<tools>',
      ...tools.map(tool => `<tool>${JSON.stringify(toFunction(tool))}</tool>`),
      '</tools>',
      '',
      instruction,
      '',
      calls([exampleCall]),
    ),
  calls,
  results: each(({ text }) => enclose(text, { open: '<response>', close: '</response>', separator: '' })),
});

/** MiniMax M2. */
export const minimaxPrompt = createMinimaxPrompt(toInvokeCalls({ list: 'minimax:tool_call' }), {
  instruction: 'When making tool calls, use XML format to invoke tools and pass parameters:',
});

const TOKEN = ']<]minimax[>[';

/** Writes a value of MiniMax M3: an element for each member and item. */
function toM3Value(value: unknown): string {
  const members = Array.isArray(value)
    ? value.map((item): [string, unknown] => ['item', item])
    : Object.entries(objectOf(value) ?? {}).filter(([, member]) => member !== undefined && member !== null);
  const isNested = members.length > 0 && members.every(([key]) => /^[^<>/\s][^<>\n]*$/.test(key));
  return isNested ? members.map(toM3Element).join('') : escapeMarker(toValue(value), TOKEN);
}

const toM3Element = ([key, value]: [string, unknown]): string =>
  `${TOKEN}<${key}>${toM3Value(value)}${TOKEN}</${key}>`;

const toM3Call = ({ name, input }: PromptCall): string =>
  `${TOKEN}<invoke name="${name}">${Object.keys(input).length === 0 ? '' : toM3Value(input)}${TOKEN}</invoke>`;

const toM3Calls: ToolPrompt['calls'] = calls =>
  lines(`${TOKEN}<tool_call>`, ...calls.map(toM3Call), `${TOKEN}</tool_call>`);

/** MiniMax M3. */
export const minimaxM3Prompt = createMinimaxPrompt(toM3Calls, {
  instruction: `When making tool calls, write ${TOKEN} before each tag, and one element for each parameter, member and item:`,
});

const toDsmlCalls = toInvokeCalls({ list: 'function_calls', prefix: '｜DSML｜', hasTypes: true });

/** DeepSeek V3.2. */
export const dsmlPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      '## Tools',
      "You have access to a set of tools you can use to answer the user's question.",
      'You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply to the user:',
      toDsmlCalls([exampleCall]),
      'String parameters should be specified as is with string="true". All other types, such as numbers, booleans, arrays and objects, should be passed in JSON format with string="false".',
      '',
      'Here are the functions available in JSONSchema format:',
      '<functions>',
      ...tools.map(tool => JSON.stringify(toFunction(tool))),
      '</functions>',
    ),
  calls: toDsmlCalls,
  results: results =>
    lines(
      '<function_results>',
      ...results.map(({ text }) =>
        enclose(text, {
          ...{ open: '<result>', close: '</result>', outer: ['</function_results>'] },
          separator: '',
        }),
      ),
      '</function_results>',
    ),
};

const toClaudeCalls = toInvokeCalls({
  list: 'function_calls',
  escape: value => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
});

/** Claude. Markup in values is escaped, as its format decodes it. */
export const claudePrompt: ToolPrompt = {
  tools: tools =>
    lines(
      "In this environment you have access to a set of tools you can use to answer the user's question.",
      'You can invoke functions by writing a "<function_calls>" block like the following as part of your reply to the user:',
      toClaudeCalls([exampleCall]),
      '',
      'Here are the functions available in JSONSchema format:',
      '<functions>',
      ...tools.map(tool => `<function>${JSON.stringify(toFunction(tool))}</function>`),
      '</functions>',
    ),
  calls: toClaudeCalls,
  results: results =>
    lines(
      '<function_results>',
      ...results.map(({ name, text }) =>
        lines(
          '<result>',
          `<name>${name}</name>`,
          enclose(text, {
            ...{ open: '<output>', close: '</output>', outer: ['</result>', '</function_results>'] },
            separator: '',
          }),
          '</result>',
        ),
      ),
      '</function_results>',
    ),
};
