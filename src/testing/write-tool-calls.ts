import type { AnswerItem } from './answers.js';
import { isJsonObject, type JsonObject } from './json-object.js';

/**
 * How a model writes tool calls as text, where the server has no parser for it.
 *
 * - `hermes`: JSON between `<tool_call>` tags (Qwen 2.5, Qwen3, Hermes).
 * - `qwen-xml`: `<function=…><parameter=…>` between the same tags (Qwen3-Coder).
 * - `mistral`: `[TOOL_CALLS]` and a JSON list; `mistral-args`: `[TOOL_CALLS]name[ARGS]{…}` for each call.
 * - `glm`, `deepseek` (V3.1), `deepseek-dsml` (V3.2), `kimi`, `minimax`, `seed-oss`, `llama`: the formats of these
 *   families.
 */
export type ToolCallFormat =
  | 'hermes'
  | 'qwen-xml'
  | 'mistral'
  | 'mistral-args'
  | 'glm'
  | 'deepseek'
  | 'deepseek-dsml'
  | 'kimi'
  | 'minimax'
  | 'seed-oss'
  | 'llama';

/** The same answer with its calls written out: they and the texts become one text. */
export function writeToolCalls(answer: readonly AnswerItem[], format: ToolCallFormat): readonly AnswerItem[] {
  const calls = answer.flatMap(item => ('call' in item && !('type' in item) ? [toTextCall(item)] : []));
  if (calls.length === 0) return answer;
  const texts = answer.flatMap(item => ('text' in item && !('type' in item) ? [String(item.text)] : []));
  const rest = answer.filter(item => 'type' in item || !('text' in item || 'call' in item));
  return [...rest, { text: [...texts, writers[format](calls)].join('\n') }];
}

interface TextCall {
  readonly name: string;
  /** The arguments as JSON, or as what a script gave for it. */
  readonly json: string;
  readonly input: JsonObject;
}

function toTextCall({
  call,
  arguments: input = {},
}: {
  call: string;
  arguments?: JsonObject | string;
}): TextCall {
  if (typeof input !== 'string') return { name: call, json: JSON.stringify(input), input };
  return { name: call, json: input, input: parseObject(input) };
}

type Writer = (calls: readonly TextCall[]) => string;

// The grammars are those of the chat templates of the models, as the tests of llama.cpp and vLLM record them.
const writers: Readonly<Record<ToolCallFormat, Writer>> = {
  hermes: each(
    ({ name, json }) => `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}}\n</tool_call>`,
  ),
  'qwen-xml': each(
    ({ name, input }) =>
      `<tool_call>\n<function=${name}>\n${write(input, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>\n</tool_call>`,
  ),
  mistral: calls =>
    `[TOOL_CALLS][${calls.map(({ name, json }) => `{"name": ${JSON.stringify(name)}, "arguments": ${json}}`).join(', ')}]`,
  'mistral-args': calls => calls.map(({ name, json }) => `[TOOL_CALLS]${name}[ARGS]${json}`).join(''),
  glm: each(
    ({ name, input }) =>
      `<tool_call>${name}\n${write(input, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)}</tool_call>`,
  ),
  deepseek: calls =>
    `<｜tool▁calls▁begin｜>${calls
      .map(({ name, json }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json}<｜tool▁call▁end｜>`)
      .join('')}<｜tool▁calls▁end｜>`,
  'deepseek-dsml': calls =>
    `<｜DSML｜function_calls>\n${calls
      .map(
        ({ name, input }) => `<｜DSML｜invoke name="${name}">\n${write(input, writeDsml)}</｜DSML｜invoke>\n`,
      )
      .join('')}</｜DSML｜function_calls>`,
  kimi: calls =>
    `<|tool_calls_section_begin|>${calls
      .map(
        ({ name, json }, index) =>
          `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${json}<|tool_call_end|>`,
      )
      .join('')}<|tool_calls_section_end|>`,
  minimax: calls =>
    `<minimax:tool_call>\n${calls
      .map(
        ({ name, input }) =>
          `<invoke name="${name}">\n${write(input, (key, value) => `<parameter name="${key}">${value}</parameter>\n`)}</invoke>\n`,
      )
      .join('')}</minimax:tool_call>`,
  'seed-oss': each(
    ({ name, input }) =>
      `<seed:tool_call>\n<function=${name}>\n${write(input, (key, value) => `<parameter=${key}>${value}</parameter>\n`)}</function>\n</seed:tool_call>`,
  ),
  llama: each(
    ({ name, json }) => `{"type": "function", "name": ${JSON.stringify(name)}, "parameters": ${json}}`,
  ),
};

function each(writeCall: (call: TextCall) => string): Writer {
  return calls => calls.map(writeCall).join('\n');
}

function write(
  input: JsonObject,
  writeArgument: (key: string, value: string, isText: boolean) => string,
): string {
  return Object.entries(input)
    .map(([key, value]) => writeArgument(key, toValueText(value), typeof value === 'string'))
    .join('');
}

function writeDsml(key: string, value: string, isText: boolean): string {
  return `<｜DSML｜parameter name="${key}" string="${isText}">${value}</｜DSML｜parameter>\n`;
}

/** Texts stand bare in these formats, everything else as JSON. */
const toValueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // Broken arguments can be written as JSON only.
  }
}
