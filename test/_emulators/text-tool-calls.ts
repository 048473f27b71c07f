import type { ScriptedItem } from '../../src/testing/protocol/scripts.js';
import { isPlainObject, type PlainObject } from '../../src/core/shared/json.js';

/**
 * Text format of tool calls on a server without a parser for the model.
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

/** Writes the calls of a response as text and joins them with its other text. */
export function writeToolCalls(
  items: readonly ScriptedItem[],
  format: ToolCallFormat,
): readonly ScriptedItem[] {
  const calls = items.flatMap(item => ('call' in item && !('type' in item) ? [toTextCall(item)] : []));
  if (calls.length === 0) return items;
  const texts = items.flatMap(item => ('text' in item && !('type' in item) ? [String(item.text)] : []));
  const rest = items.filter(item => 'type' in item || !('text' in item || 'call' in item));
  return [...rest, { text: [...texts, writers[format](calls)].join('\n') }];
}

interface TextCall {
  readonly name: string;
  /** The arguments as JSON, or the string from the script. */
  readonly json: string;
  readonly input: PlainObject;
}

function toTextCall({
  call,
  arguments: input = {},
}: {
  call: string;
  arguments?: PlainObject | string;
}): TextCall {
  if (typeof input !== 'string') return { name: call, json: JSON.stringify(input), input };
  return { name: call, json: input, input: parseObject(input) };
}

type Writer = (calls: readonly TextCall[]) => string;

// Formats from the chat templates of the models, as recorded in the tests of llama.cpp and vLLM.
const writers: Readonly<Record<ToolCallFormat, Writer>> = {
  hermes: each(call => lines('<tool_call>', toJsonCall(call), '</tool_call>')),
  'qwen-xml': each(({ name, input }) =>
    lines(
      '<tool_call>',
      `<function=${name}>`,
      ...toArguments(input, (key, value) => lines(`<parameter=${key}>`, value, '</parameter>')),
      '</function>',
      '</tool_call>',
    ),
  ),
  mistral: calls => `[TOOL_CALLS][${calls.map(toJsonCall).join(', ')}]`,
  'mistral-args': calls => calls.map(({ name, json }) => `[TOOL_CALLS]${name}[ARGS]${json}`).join(''),
  glm: each(({ name, input }) =>
    lines(
      `<tool_call>${name}`,
      ...toArguments(input, (key, value) =>
        lines(`<arg_key>${key}</arg_key>`, `<arg_value>${value}</arg_value>`),
      ),
      '</tool_call>',
    ),
  ),
  deepseek: calls => {
    const written = calls.map(
      ({ name, json }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json}<｜tool▁call▁end｜>`,
    );
    return `<｜tool▁calls▁begin｜>${written.join('')}<｜tool▁calls▁end｜>`;
  },
  'deepseek-dsml': calls =>
    lines(
      '<｜DSML｜function_calls>',
      ...calls.map(({ name, input }) =>
        lines(
          `<｜DSML｜invoke name="${name}">`,
          ...toArguments(
            input,
            (key, value, isText) =>
              `<｜DSML｜parameter name="${key}" string="${isText}">${value}</｜DSML｜parameter>`,
          ),
          '</｜DSML｜invoke>',
        ),
      ),
      '</｜DSML｜function_calls>',
    ),
  kimi: calls => {
    const written = calls.map(
      ({ name, json }, index) =>
        `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${json}<|tool_call_end|>`,
    );
    return `<|tool_calls_section_begin|>${written.join('')}<|tool_calls_section_end|>`;
  },
  minimax: calls =>
    lines(
      '<minimax:tool_call>',
      ...calls.map(({ name, input }) =>
        lines(
          `<invoke name="${name}">`,
          ...toArguments(input, (key, value) => `<parameter name="${key}">${value}</parameter>`),
          '</invoke>',
        ),
      ),
      '</minimax:tool_call>',
    ),
  'seed-oss': each(({ name, input }) =>
    lines(
      '<seed:tool_call>',
      `<function=${name}>`,
      ...toArguments(input, (key, value) => `<parameter=${key}>${value}</parameter>`),
      '</function>',
      '</seed:tool_call>',
    ),
  ),
  llama: each(
    ({ name, json }) => `{"type": "function", "name": ${JSON.stringify(name)}, "parameters": ${json}}`,
  ),
};

function each(write: (call: TextCall) => string): Writer {
  return calls => lines(...calls.map(write));
}

function lines(...texts: readonly string[]): string {
  return texts.join('\n');
}

function toJsonCall({ name, json }: TextCall): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${json}}`;
}

function toArguments(
  input: PlainObject,
  write: (key: string, value: string, isText: boolean) => string,
): string[] {
  return Object.entries(input).map(([key, value]) =>
    write(key, toValueText(value), typeof value === 'string'),
  );
}

/** These formats contain strings without quotes and other values as JSON. */
const toValueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function parseObject(text: string): PlainObject {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {}; // Only the JSON formats can contain invalid arguments.
  }
}
