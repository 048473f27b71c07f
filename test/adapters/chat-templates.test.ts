import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JSONSchema7, LanguageModelV2Message } from '@ai-sdk/provider';
import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { adaptModel, type ToolPrompting } from '../../src/adapters/index.js';
import { generate, scriptedModel, textRound } from '../tool-loop/_scripted-model.js';

/*
 * The prompts of `toolPrompting` against the chat templates of the models: the template renders the same text for a
 * request with tools, and for the one that `toolPrompting` made of it.
 */

const FOLDER = process.env['CHAT_TEMPLATES'] ?? '../shared/templates';
const hasTemplates = existsSync(FOLDER);

const properties = {
  city: { type: 'string', description: 'A "city", or\nits code – Zürich', enum: ['Roma', 'Zürich'] },
  days: { type: 'integer', minimum: 1, description: 'Number of days' },
  tags: { type: 'array', items: { type: 'string' }, description: 'Any tags' },
} satisfies Record<string, JSONSchema7>;
const declared = [
  {
    name: 'get_weather',
    description: 'Gets the "weather".\nIn any city <here>.',
    parameters: {
      type: 'object',
      properties,
      required: ['city'],
      additionalProperties: false,
    } satisfies JSONSchema7,
  },
  {
    name: 'a_list',
    description: 'Lists all.',
    parameters: {
      type: 'object',
      properties: { deep: { type: 'boolean', description: 'All levels' } },
    } satisfies JSONSchema7,
  },
];
const chatTools = declared.map(one => ({ type: 'function', function: one }));
const tools = declared.map(({ parameters, ...one }) => ({
  type: 'function' as const,
  ...one,
  inputSchema: parameters as JSONSchema7,
}));

const calls = [
  { id: 'abcdefgh1', name: 'get_weather', input: { city: 'Zürich "x" <b>', days: 3, tags: ['a', 'b'] } },
  { id: 'abcdefgh2', name: 'a_list', input: {} },
];
const results = ['22 °C', '{"a": [1, 2]}'];

interface Conversation {
  /** Calls of the assistant. @default 0 */
  calls?: number;
  text?: string;
}

/** The conversation as the Chat Completions API has it. */
const chatMessages = ({ calls: count = 0, text = '' }: Conversation): object[] => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Go.' },
  ...(count === 0
    ? []
    : [
        {
          role: 'assistant',
          content: text,
          tool_calls: calls.slice(0, count).map(({ id, name, input }) => ({
            ...{ id, type: 'function' },
            function: { name, arguments: input },
          })),
        },
        ...calls.slice(0, count).map(({ id, name }, index) => ({
          ...{ role: 'tool', tool_call_id: id, name },
          content: results[index],
        })),
      ]),
];

const sdkMessages = ({ calls: count = 0, text = '' }: Conversation): LanguageModelV2Message[] => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
  ...(count === 0
    ? []
    : [
        {
          role: 'assistant' as const,
          content: [
            ...(text === '' ? [] : [{ type: 'text' as const, text }]),
            ...calls.slice(0, count).map(({ id, name, input }) => ({
              ...{ type: 'tool-call' as const, toolCallId: id },
              ...{ toolName: name, input },
            })),
          ],
        },
        {
          role: 'tool' as const,
          content: calls.slice(0, count).map(({ id, name }, index) => ({
            ...{ type: 'tool-result' as const, toolCallId: id, toolName: name },
            output: { type: 'text' as const, value: results[index] ?? '' },
          })),
        },
      ]),
];

const render = (template: Template, messages: object[], withTools?: object[]): string =>
  template.render({
    ...{ messages, add_generation_prompt: false, thinking: false, bos_token: '', eos_token: '</s>' },
    ...(withTools && { tools: withTools }),
  });

/** The tokens that start and end messages, with their roles. */
const ROLE =
  /<\|im_start\|>\w+\n|<\|im_end\|>|<\|start_of_role\|>\w+<\|end_of_role\|>|<\|end_of_text\|>|<\|(?:user|assistant|system|observation)\|>|\]~b\]\w+\n|\[e~\[|<｜(?:User|Assistant|end▁of▁sentence)｜>|<\|im_(?:system|user|assistant)\|>\w+<\|im_middle\|>|\[\/?(?:INST|SYSTEM_PROMPT)\]|(?=\[AVAILABLE_TOOLS\])|<\|turn>\w+\n|<turn\|>|<\|open\|>message[^]*?<\|sep\|>|<\|close\|>message<\|sep\|>|<\|end_of_msg\|>|<\/s>/g;

/** Returns the texts of messages, without the tokens of roles and without empty thoughts. */
const piecesOf = (rendered: string): string[] =>
  rendered
    // The end of the model's turn before results.
    .replace(/<\|tool_response>$/, '')
    .replace(/<think>\s*<\/think>|(?<=｜Assistant｜>)<\/think>/g, '')
    .split(ROLE)
    .map(piece => piece.trim())
    .filter(piece => piece !== '' && piece !== '</think>');

/** Returns the messages that `toolPrompting` sends, as the Chat Completions API has them. */
async function promptedMessages(
  conversation: Conversation,
  { modelId, toolPrompting }: { modelId: string; toolPrompting: ToolPrompting },
): Promise<object[]> {
  const inner = { ...scriptedModel(textRound('hi')), modelId };
  // Adapters of a family change ids and orders for the server, which is another topic.
  const adapters = [] as const;
  const model = adaptModel(inner, toolPrompting === 'auto' ? { toolPrompting } : { toolPrompting, adapters });
  await generate(model, { prompt: sdkMessages(conversation), tools });
  return (inner.requests[0]?.prompt ?? []).map(({ role, content }) => ({
    role,
    content:
      typeof content === 'string'
        ? content
        : content.map(part => (part.type === 'text' ? part.text : '')).join(''),
  }));
}

interface Row {
  file: string;
  modelId: string;
  /** The template writes no calls that could be read, or cannot be rendered with any. @default true */
  isSupplied?: boolean;
  /** Parts of the conversation that the template can express in messages without tools. @default all */
  without?: ('calls' | 'results' | 'text')[];
}

/** Each exception has its reason in the row. */
const rows: Row[] = [
  { file: 'Qwen-Qwen2.5-7B-Instruct', modelId: 'qwen2.5-7b-instruct' },
  { file: 'Qwen-Qwen3-0.6B', modelId: 'qwen3-0.6b' },
  { file: 'Qwen3-Coder', modelId: 'qwen3-coder-30b' },
  { file: 'Qwen3.5-4B', modelId: 'qwen3.5-4b' },
  { file: 'GLM-4.6', modelId: 'glm-4.6' },
  { file: 'GLM-4.7-Flash', modelId: 'glm-4.7-flash' },
  { file: 'MiniMax-M2', modelId: 'minimax-m2' },
  { file: 'deepseek-ai-DeepSeek-V3.2', modelId: 'deepseek-v3.2' },
  { file: 'deepseek-ai-DeepSeek-V4', modelId: 'deepseek-v4' },
  { file: 'NVIDIA-Nemotron-3-Nano-30B-A3B-BF16', modelId: 'nemotron-3-nano-30b-a3b' },
  { file: 'StepFun3.5-Flash', modelId: 'step-3.5-flash' },
  { file: 'ibm-granite-granite-4.1', modelId: 'granite-4.1-8b' },
  // Text beside calls is omitted by the template.
  {
    file: 'Mistral-Small-3.2-24B-Instruct-2506',
    modelId: 'mistral-small-3.2-24b-instruct-2506',
    without: ['text'],
  },
  { file: 'mistralai-Ministral-3-14B-Reasoning-2512', modelId: 'ministral-3-14b-reasoning-2512' },
  // `@huggingface/jinja` cannot append to the list of ids, from which results are written.
  { file: 'Kimi-K2-Instruct', modelId: 'kimi-k2-instruct', without: ['results'], isSupplied: false },
  // Results follow in the message of the model, and text follows the calls.
  { file: 'google-gemma-4-31B-it', modelId: 'gemma-4-31b-it', without: ['text', 'results'] },
  // Calls follow the section of the text, and results are messages of a role with attributes.
  { file: 'Kimi-K3', modelId: 'kimi-k3', without: ['calls'], isSupplied: false },
  // The template has no calls.
  {
    file: 'ibm-granite-granite-3.3-2B-Instruct',
    modelId: 'granite-3.3-2b-instruct',
    without: ['calls'],
    isSupplied: false,
  },
];

describe.each(rows)('the template of $file', row => {
  if (!hasTemplates) {
    it.skip(`is compared where ${FOLDER} exists`, () => undefined);
    return;
  }
  const source = readFileSync(join(FOLDER, `${row.file}.jinja`), 'utf8').replace(/^.*ids\.append\(.*\n/m, '');
  const template = new Template(source);
  const conversations: Conversation[] = [
    {},
    ...(row.without?.includes('calls')
      ? []
      : [
          { calls: 1 },
          { calls: 2 },
          ...(row.without?.includes('text') ? [] : [{ calls: 2, text: 'I look.' }]),
        ]),
  ];

  it.each(conversations)('renders the same as the prompt of the family for %j', async conversation => {
    const messages = await promptedMessages(conversation, { modelId: row.modelId, toolPrompting: 'auto' });
    const isResultless = row.without?.includes('results') === true;
    const native = chatMessages(conversation).filter(
      one => !isResultless || (one as { role: string }).role !== 'tool',
    );
    const [expected, actual] = [
      piecesOf(render(template, native, chatTools)),
      piecesOf(render(template, isResultless && conversation.calls ? messages.slice(0, -1) : messages)),
    ];
    expect(actual).toEqual(expected);
  });

  it.runIf(row.isSupplied !== false).each(conversations)(
    'renders the same for %j if the application supplies it',
    async conversation => {
      if (row.without?.includes('results') && conversation.calls) return;
      const messages = await promptedMessages(conversation, {
        modelId: 'assistant',
        toolPrompting: { chatTemplate: source },
      });
      expect(piecesOf(render(template, messages))).toEqual(
        piecesOf(render(template, chatMessages(conversation), chatTools)),
      );
    },
  );
});
