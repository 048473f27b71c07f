/** A call of two parameters in the syntax of a format. */
export interface WrittenFormat {
  readonly name: string;
  /** A model that writes the format. */
  readonly modelId: string;
  /** The syntax that a prompt asks for. @default that of the model */
  readonly toolPrompting?: string;
  /** Writes the call `exec` with these arguments. */
  write(entries: readonly (readonly [key: string, value: string])[]): string;
  /** The values are plain text between tags. */
  readonly isPlain: boolean;
}

type Entries = Parameters<WrittenFormat['write']>[0];

const json = (entries: Entries): string => JSON.stringify(Object.fromEntries(entries));

const elements = (entries: Entries, toElement: (key: string, value: string) => string): string =>
  entries.map(([key, value]) => toElement(key, value)).join('\n');

const pair = (prefix: string) => (key: string, value: string) =>
  `<${prefix}arg_key>${key}</${prefix}arg_key>\n<${prefix}arg_value>${value}</${prefix}arg_value>`;

const parameter = (prefix: string) => (key: string, value: string) =>
  `<${prefix}parameter name="${key}">${value}</${prefix}parameter>`;

/** The formats of calls in tags. A new format enters the list, and is tested without other code. */
export const writtenFormats: readonly WrittenFormat[] = [
  {
    name: 'Qwen XML',
    modelId: 'qwen3-coder-plus',
    write: entries =>
      `<tool_call>\n<function=exec>\n${elements(entries, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
    isPlain: true,
  },
  {
    name: 'GLM',
    modelId: 'zai-org/GLM-4.6',
    write: entries => `<tool_call>exec\n${elements(entries, pair(''))}\n</tool_call>`,
    isPlain: true,
  },
  {
    name: 'MiniMax M2',
    modelId: 'MiniMaxAI/MiniMax-M2',
    write: entries =>
      `<minimax:tool_call>\n<invoke name="exec">\n${elements(entries, parameter(''))}\n</invoke>\n</minimax:tool_call>`,
    isPlain: true,
  },
  {
    name: 'DSML',
    modelId: 'deepseek-ai/DeepSeek-V3.2',
    write: entries =>
      `<｜DSML｜function_calls>\n<｜DSML｜invoke name="exec">\n${elements(
        entries,
        (key, value) => `<｜DSML｜parameter name="${key}" string="true">${value}</｜DSML｜parameter>`,
      )}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
    isPlain: true,
  },
  {
    name: 'Seed',
    modelId: 'ByteDance-Seed/Seed-OSS-36B-Instruct',
    write: entries =>
      `<seed:tool_call>\n<function=exec>\n${elements(entries, (key, value) => `<parameter=${key}>${value}</parameter>`)}\n</function>\n</seed:tool_call>`,
    isPlain: true,
  },
  {
    name: 'MiMo',
    modelId: 'XiaomiMiMo/MiMo-V2-Flash',
    write: entries =>
      `<tool_call>\n<function=exec>\n${elements(entries, (key, value) => `<parameter=${key}>${value}</parameter>`)}\n</function>\n</tool_call>`,
    isPlain: true,
  },
  {
    name: 'Claude',
    modelId: 'claude-3-haiku',
    write: entries =>
      `<function_calls>\n<invoke name="exec">\n${elements(entries, parameter(''))}\n</invoke>\n</function_calls>`,
    isPlain: true,
  },
  {
    name: 'Step 3',
    modelId: 'stepfun-ai/step3',
    write: entries =>
      `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="exec">\n${elements(entries, parameter('steptml:'))}\n</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
    isPlain: true,
  },
  {
    name: 'MiniCPM5',
    modelId: 'openbmb/MiniCPM5-8B',
    write: entries =>
      `<function name="exec">\n${elements(entries, (key, value) => `<param name="${key}">${value}</param>`)}\n</function>`,
    isPlain: true,
  },
  {
    name: 'Hunyuan 3',
    modelId: 'tencent/Hunyuan-A13B-Instruct',
    write: entries =>
      `<tool_calls><tool_call>exec<tool_sep>\n${elements(entries, pair(''))}\n</tool_call></tool_calls>`,
    isPlain: true,
  },
  {
    name: 'LongCat',
    modelId: 'meituan-longcat/LongCat-Flash-Chat',
    write: entries => `<longcat_tool_call>exec\n${elements(entries, pair('longcat_'))}\n</longcat_tool_call>`,
    isPlain: true,
  },
  {
    name: 'Solar',
    modelId: 'upstage/solar-open2',
    write: entries =>
      `<|tool_call:start|>exec${elements(entries, (key, value) => `<|tool_arg:start|>${key}<|tool_arg:value|>${value}<|tool_arg:end|>`)}<|tool_call:end|>`,
    isPlain: true,
  },
  {
    name: 'elements of tools',
    modelId: 'any-model',
    toolPrompting: 'tool-elements',
    write: entries => `<exec>\n${elements(entries, (key, value) => `<${key}>${value}</${key}>`)}\n</exec>`,
    isPlain: true,
  },
  {
    name: 'elements of tools with YAML',
    modelId: 'any-model',
    toolPrompting: 'yaml-elements',
    write: entries =>
      `<exec>\n${elements(entries, (key, value) => `${key}: ${JSON.stringify(value)}`)}\n</exec>`,
    isPlain: false,
  },
  {
    name: 'MiniMax M3',
    modelId: 'MiniMaxAI/MiniMax-M3',
    write: entries =>
      `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="exec">${entries.map(([key, value]) => `]<]minimax[>[<${key}>${value}]<]minimax[>[</${key}>`).join('')}]<]minimax[>[</invoke>]<]minimax[>[</tool_call>`,
    isPlain: false,
  },
  {
    name: 'Kimi K3',
    modelId: 'moonshotai/Kimi-K3',
    write: entries =>
      `<|open|>tools<|sep|><|open|>call tool="exec" index="1"<|sep|>${entries.map(([key, value]) => `<|open|>argument key="${key}" type="string"<|sep|>${value}<|close|>argument<|sep|>`).join('')}<|close|>call<|sep|><|close|>tools<|sep|>`,
    isPlain: false,
  },
  {
    name: 'Hermes',
    modelId: 'Qwen/Qwen2.5-72B-Instruct',
    write: entries => `<tool_call>\n{"name": "exec", "arguments": ${json(entries)}}\n</tool_call>`,
    isPlain: false,
  },
  {
    name: 'Mistral',
    modelId: 'mistral-small-latest',
    write: entries => `[TOOL_CALLS]exec[ARGS]${json(entries)}`,
    isPlain: false,
  },
  {
    name: 'Kimi K2',
    modelId: 'moonshotai/Kimi-K2-Instruct',
    write: entries =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.exec:0<|tool_call_argument_begin|>${json(entries)}<|tool_call_end|><|tool_calls_section_end|>`,
    isPlain: false,
  },
  {
    name: 'DeepSeek V3.1',
    modelId: 'deepseek-ai/DeepSeek-V3.1',
    write: entries =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>exec<｜tool▁sep｜>${json(entries)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    isPlain: false,
  },
  {
    name: 'Gemma 4',
    modelId: 'google/gemma-4-27b-it',
    write: entries =>
      `<|tool_call>call:exec{${entries.map(([key, value]) => `${key}:<|"|>${value}<|"|>`).join(',')}}<tool_call|>`,
    isPlain: false,
  },
  {
    name: 'gpt-oss',
    modelId: 'openai/gpt-oss-20b',
    write: entries =>
      `<|channel|>commentary to=functions.exec <|constrain|>json<|message|>${json(entries)}<|call|>`,
    isPlain: false,
  },
];

export interface Mutation {
  /** The tag, and what was done to it. */
  readonly title: string;
  readonly kind: 'missing' | 'doubled' | 'case' | 'less' | 'more' | 'attributes' | 'shape';
  readonly text: string;
}

const TAG = /<[^<>]+>|\[\/?[A-Z_]+\]/g;

/**
 * Returns the texts with a mistake in one tag: missing, doubled, in another case, one letter less or more, with attributes,
 * or in another shape.
 *
 * @param every Tries each letter of a tag, not one of them.
 */
export function mutate(text: string, every = false): Mutation[] {
  return [...text.matchAll(TAG)].flatMap(({ 0: tag, index }) =>
    variationsOf(tag, every)
      .filter(([, changed]) => changed !== tag)
      .map(([kind, changed]) => ({
        title: `${kind}: ${tag} at ${index} as ${JSON.stringify(changed)}`,
        kind,
        text: text.slice(0, index) + changed + text.slice(index + tag.length),
      })),
  );
}

function variationsOf(tag: string, every: boolean): [Mutation['kind'], string][] {
  const name = /[a-z_]{3,}/i.exec(tag);
  const variations: [Mutation['kind'], string][] = [
    ['missing', ''],
    ['doubled', tag + tag],
    ['doubled', `${tag}\n${tag}`],
  ];
  if (name === null) return variations;
  const start = name.index;
  const end = start + name[0].length;
  const withName = (changed: string) => tag.slice(0, start) + changed + tag.slice(end);
  const letters = [...[...name[0]].keys()].filter(at => every || at === Math.floor(name[0].length / 2));
  variations.push(
    ['case', withName(name[0].charAt(0).toUpperCase() + name[0].slice(1))],
    ['case', withName(name[0].toUpperCase())],
    ...letters.flatMap((at): [Mutation['kind'], string][] => [
      ['less', withName(name[0].slice(0, at) + name[0].slice(at + 1))],
      ['more', withName(name[0].slice(0, at) + name[0].charAt(at) + name[0].slice(at))],
    ]),
  );
  if (!tag.endsWith('>') || tag.endsWith('|>') || tag.endsWith('｜>')) return variations;
  const inner = tag.slice(0, -1);
  variations.push(
    ['attributes', `${inner} id="1">`],
    ['attributes', `${inner} type='string' x=y>`],
    ['shape', `${inner} >`],
    ['shape', inner],
  );
  const [, head, key] = /^(.*parameter|.*param|.*invoke|.*function)(?:=| name=)"?(\w+)"?.*>$/.exec(tag) ?? [];
  if (head === undefined || key === undefined) return variations;
  variations.push(
    ...[
      ` name="${key}"`,
      ` name='${key}'`,
      ` name=${key}`,
      `=${key}`,
      `="${key}"`,
      ` ${key}`,
      ` name="${key}" type="string"`,
      ` type="string" name="${key}"`,
    ].map((attribute): [Mutation['kind'], string] => ['attributes', `${head}${attribute}>`]),
    ['shape', `${head}>`],
    ['shape', `${head}=`],
    ['shape', `${head}>${key}`],
    ['shape', `${head}>${key}${head.replace('<', '</')}>`],
    ['shape', `${head}=${key} `],
  );
  return variations;
}

/** What a reader made of a mutated call. */
export type Outcome = 'right' | 'invalid' | 'text' | 'wrong' | 'lost' | 'twice';

/** Judges what was read: one call with exactly these arguments, one whose input is no JSON, or only text. */
export function judge(
  read: { calls: readonly { name: string; input: string }[]; text: string },
  expected: Readonly<Record<string, string>>,
): Outcome {
  const [call] = read.calls;
  if (call === undefined) return isIn(read.text, expected.cmd ?? '') ? 'text' : 'lost';
  if (read.calls.length > 1) return 'twice';
  let input: unknown;
  try {
    input = JSON.parse(call.input);
  } catch {
    return 'invalid';
  }
  const isRight = JSON.stringify(input) === JSON.stringify(expected) && call.name === 'exec';
  // A call of a tool that is not declared is answered with an error.
  if (!isRight && call.name !== 'exec') return 'invalid';
  return isRight ? 'right' : 'wrong';
}

/** Returns true if a text contains a value, as it is or in JSON. */
const isIn = (text: string, value: string): boolean =>
  text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
