import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { modelAdapters } from '../../src/adapters/model-adapters.js';
import { qwenMiddleware } from '../../src/adapters/families/qwen.js';
import { qwen } from '../../src/adapters/families/tags.js';
import { wrapModel } from '../_core.js';
import { readText } from './text-tools/_read-text.js';
import { generate, textRound, scriptedModel } from '../tool-loop/_scripted-model.js';

const tools = { look: { place: { type: 'string' } } };

describe('the family', () => {
  it.each([
    'qwen3-coder-plus',
    'Qwen/Qwen2.5-72B-Instruct',
    'qwen/qwen3-coder:free',
    'bartowski/Qwen2.5-7B-Instruct-GGUF',
    'qwen.qwen3-coder-480b-a35b-v1:0',
    'qwq-32b',
  ])('includes %s', modelId => {
    expect(qwen.appliesTo(modelId)).toBe(true);
  });

  it.each(['text-embedding-qwen3', 'Qwen/Qwen3-Embedding-8B', 'qwentessential', 'qwen-friends/gpt-4'])(
    'does not include %s',
    modelId => {
      expect(qwen.appliesTo(modelId)).toBe(false);
    },
  );

  it.each([
    ['nvidia/Nemotron-3-Nano-30B-A3B', 'nemotron'],
    ['NousResearch/Hermes-4-70B', 'hermes'],
    ['ibm-granite/granite-4.0-h-small', 'granite'],
    ['zai-org/GLM-4.6', 'glm'],
    ['deepseek-ai/DeepSeek-V3.1', 'deepseek'],
    ['deepseek-r1-distill-qwen-32b', 'deepseek'],
    ['moonshotai/Kimi-K2-Instruct-0905', 'kimi'],
    ['MiniMaxAI/MiniMax-M2', 'minimax'],
    ['ByteDance-Seed/Seed-OSS-36B-Instruct', 'seed-oss'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'llama'],
    ['google/gemma-3-27b-it', 'gemma'],
    ['command-r7b-12-2024', 'command-r'],
  ])('of %s is %s', (modelId, name) => {
    expect(modelAdapters.findFor(modelId).map(adapter => adapter.name)).toEqual([name]);
  });
});

describe('the system prompt', () => {
  const system = async (content: string, options = {}) => {
    const model = scriptedModel(textRound('Hi'));
    const prompt = [{ role: 'system' as const, content }];
    await generate(wrapModel(model, [qwenMiddleware(options)]), { prompt });
    return model.requests[0]?.prompt[0]?.content;
  };

  it.each([
    ['Be brief.\n[tool_call: ls for path "."]\nGo on.', 'Be brief.\n\nGo on.'],
    ['Run [tool_call: ls for path "."], then [tool_call: cat] it.', 'Run ls, then cat it.'],
    ['user: List files.\nmodel: [tool_call: ls for path "."]\nGo on.', 'user: List files.\n\nGo on.'],
    ['Be brief.\n\n<tool_call>\n{"name": "ls"}\n</tool_call>\n\nGo on.', 'Be brief.\n\nGo on.'],
    ['So: <tool_call><function=ls>\n</function></tool_call>', 'So:'],
    [
      'Start with <tool_call>, as in\n<tool_call>\n{"name": "ls"}\n</tool_call>\nGo on.',
      'Start with <tool_call>, as in\n\nGo on.',
    ],
  ])('%j is sent as %j', async (given, sent) => {
    expect(await system(given)).toBe(sent);
  });

  it.each([
    'Be  brief. \n\n\n\nGo on.',
    'Write [tool_call and <tool_call> as they are.',
    'A call starts with <tool_call>.\nNever delete files.\nIt ends with </tool_call>.',
    'Wrap calls in <tool_call> and </tool_call>. Be brief.',
    '<tools>[]</tools> Call as <tool_call>{"name": …}</tool_call>.',
  ])('%j is unchanged', async given => {
    expect(await system(given)).toBe(given);
  });

  it('is unchanged with cleanSystem: false', async () => {
    expect(await system('[tool_call: x]', { cleanSystem: false })).toBe('[tool_call: x]');
  });
});

describe('a file-writing call of an undeclared tool', () => {
  const write = (content: string, name = 'save') =>
    `<tool_call>\n<function=${name}>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`;
  const convert = async (text: string) => {
    const { content } = await readText(text, { middleware: qwenMiddleware(), tools });
    return content;
  };

  const fence = async (text: string) => (await readText(text, { middleware: qwenMiddleware() })).content;

  it.each([
    [`Here:\n${write('print(1)')}\nDone.`, 'Here:\n```\nprint(1)\n```\nDone.'],
    [`Here: ${write('a')} Done.`, 'Here: \n```\na\n```\n Done.'],
    [write('```md\na\n````'), '`````\n```md\na\n````\n`````'],
    [write('a') + write('b'), '```\na\n```\n```\nb\n```'],
  ])('%j becomes %j without tools', async (given, expected) => {
    expect(await fence(given)).toEqual([{ text: expected }]);
  });

  it.each([
    [undefined, [{ call: 'save', input: { path: 'a.py', content: 'a' } }]],
    ['call', [{ call: 'save', input: { path: 'a.py', content: 'a' } }]],
    ['drop', []],
    ['text', [{ text: '```\na\n```' }]],
  ] as const)('follows the policy %j if tools are declared', async (undeclared, expected) => {
    const { content } = await readText(write('a'), {
      middleware: qwenMiddleware(),
      tools,
      settings: { undeclared },
    });
    expect(content).toEqual(expected);
  });

  it.each([
    ['if it is truncated', write('a').slice(0, 90)],
    ['in fenced code', `~~~\n${write('a')}\n~~~`],
  ])('stays text %s', async (_, given) => {
    expect(await convert(given)).toEqual([{ text: given }]);
  });

  it('is a call without content', async () => {
    const given = '<function=save>\n<parameter=path>\na.py\n</parameter>\n</function>';
    expect(await convert(given)).toEqual([
      { call: 'save', input: expect.objectContaining({ path: 'a.py' }) },
    ]);
  });
});

describe('reasoning', () => {
  const read = async (modelId: string, settings = {}) => {
    const model = { ...scriptedModel(textRound('Hm.\n</think>\n\nSo.')), modelId };
    const { content } = await generate(wrapModel(model, [qwenMiddleware()], settings));
    return content.map(part =>
      part.type === 'text' || part.type === 'reasoning' ? [part.type, part.text] : [],
    );
  };
  const separated = [
    ['reasoning', 'Hm.'],
    ['text', 'So.'],
  ];

  it.each(['qwq-32b', 'Qwen/Qwen3-235B-A22B-Thinking-2507'])(
    'without an opening tag is found in responses of %s',
    async modelId => {
      expect(await read(modelId)).toEqual(separated);
    },
  );

  it('without an opening tag is found with startsInReasoning, and not for other models', async () => {
    expect(await read('assistant', { startsInReasoning: true })).toEqual(separated);
    expect(await read('qwen3-coder')).toEqual([['text', 'Hm.\n\n\nSo.']]);
  });
});

describe('tools', () => {
  const ask = async (options: object) => {
    const model = scriptedModel(textRound('Hi'));
    const request: LanguageModelV2CallOptions = {
      prompt: [
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: '' } },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'look', inputSchema: {} }],
      toolChoice: { type: 'auto' },
    };
    await generate(wrapModel(model, [qwenMiddleware(options)]), request);
    return Object.keys(model.requests[0] ?? {}).sort();
  };

  it('are removed after a result with toolsAfterResult: false', async () => {
    expect(await ask({})).toEqual(['prompt', 'toolChoice', 'tools']);
    expect(await ask({ toolsAfterResult: false })).toEqual(['prompt']);
  });
});

it('rejects an unknown option', () => {
  expect(() => qwenMiddleware({ cleansystem: true } as object)).toThrow('Did you mean `cleanSystem`?');
});
