import type { LanguageModelV2, LanguageModelV2FinishReason } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { adaptModel, type AdaptModelOptions } from '../../src/adapters/adapt-model.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { startResponsesEmulator } from '../../src/testing/index.js';
import {
  compileTemplatePattern,
  findAll,
  PatternRun,
} from '../../src/adapters/text-tools/templates/pattern.js';
import type { ResponseTemplate } from '../../src/adapters/text-tools/templates/response-template.js';
import { everyNth } from '../_products.js';
import { finish, generate, scriptedModel, start, stream } from '../tool-loop/_scripted-model.js';

const start_anchor = '<|im_start|>assistant\n';
const transform = { type: 'function', function: { name: '{name}', arguments: '{content}' } };

const qwen: ResponseTemplate = {
  defaults: { role: 'assistant' },
  start_anchor,
  fields: {
    thinking: { open: '<think>', close: '</think>' },
    tool_calls: {
      open_pattern: '<tool_call>\\s*<function=(?P<name>\\w+)>',
      close: '</tool_call>',
      repeats: true,
      content: 'xml-inline',
      content_args: {
        tag_pattern: '<parameter=(?P<key>\\w+)>\\s*(?P<value>.*?)\\s*</parameter>',
        value_parser: { name: 'json', args: { allow_non_json: true } },
      },
      transform,
    },
    content: { close: '<|im_end|>' },
  },
};

const hermes: ResponseTemplate = {
  start_anchor,
  fields: {
    thinking: { open_pattern: '(?:^|<think>\\s*)', close: '</think>' },
    tool_calls: {
      open: '<tool_call>',
      close: '</tool_call>',
      repeats: true,
      content: 'json',
      transform: { function: { name: '{content.name}', arguments: '{content.arguments}' } },
    },
    content: { close: ['<|im_end|>', '<|eot|>'] },
  },
};

const gemma: ResponseTemplate = {
  start_anchor,
  fields: {
    thinking: { open_pattern: '<\\|channel>(?:thought\\n)?', close: '<channel|>' },
    tool_calls: {
      open_pattern: '<\\|tool_call>call:(?P<name>\\w+)',
      close: '<tool_call|>',
      repeats: true,
      content: 'json',
      content_args: { unquoted_keys: true, string_delims: [['<|"|>', '<|"|>']] },
      transform,
    },
    content: { close: '<turn|>' },
  },
};

const lines: ResponseTemplate = {
  start_anchor_pattern: 'assistant\\n',
  fields: {
    tool_calls: { open_pattern: 'CALL (?P<name>\\w+)\\n', close: 'END', content: 'kv-lines', transform },
    content: {},
  },
};

const inkling: ResponseTemplate = {
  start_anchor,
  fields: {
    thinking: { open: '<|content_thinking|>', close: '<|end_message|>' },
    content: { open: '<|content_text|>', close: '<|end_message|>', repeats: true, join: ' - ' },
    tool_calls: {
      open: '<|content_invoke_tool_json|>',
      close: '<|end_message|>',
      content: 'json',
      transform: { function: { name: '{content.name}', arguments: '{content.args}' } },
    },
  },
};

const mistral: ResponseTemplate = {
  start_anchor: ['[/INST]'],
  fields: {
    tool_calls: {
      open: '[TOOL_CALLS]',
      content: 'json',
      transform_each: true,
      transform: { function: { name: '{name}', arguments: '{arguments}' } },
    },
    content: { close: '</s>' },
  },
};

const onlyCalls: ResponseTemplate = {
  start_anchor,
  fields: { tool_calls: { open: '<c>', close_pattern: '\\s*</c>\\s*', content: 'json' } },
};

/** The name of a tool stands after its arguments. */
const named: ResponseTemplate = {
  start_anchor,
  fields: {
    thinking: { open: '<t>', close_pattern: '</t\\d+>' },
    tool_calls: {
      open: '[[',
      close_pattern: '\\]\\] *(?P<name>\\w+);',
      repeats: true,
      content: 'kv-lines',
      transform,
    },
    content: {},
  },
};

const tools = [
  {
    type: 'function' as const,
    name: 'search',
    inputSchema: {
      type: 'object' as const,
      properties: {
        query: { type: 'string' as const },
        n: { type: 'integer' as const },
        tags: { type: 'array' as const, items: { type: 'string' as const } },
      },
      required: ['query'],
    },
  },
];

const writing = (chunks: readonly string[], finishReason: LanguageModelV2FinishReason): LanguageModelV2 => ({
  ...scriptedModel([
    start,
    { type: 'text-start', id: 't' },
    ...chunks.map(delta => ({ type: 'text-delta', id: 't', delta }) as const),
    { type: 'text-end', id: 't' },
    finish(finishReason),
  ]),
  modelId: 'acme/tulip-7b',
});

interface ReadOptions extends AdaptModelOptions {
  finishReason?: LanguageModelV2FinishReason;
}

/** Reads a text with a template, whole, in pieces and in complete responses. */
async function read(
  responseTemplate: ResponseTemplate,
  text: string,
  { finishReason = 'stop', ...options }: ReadOptions = {},
) {
  const adapt = (chunks: string[]) =>
    adaptModel(writing(chunks, finishReason), { responseTemplate, ...options });
  const { content } = await generate(adapt([text]), { tools });
  const result = {
    text: content.map(part => (part.type === 'text' ? part.text : '')).join(''),
    reasoning: content.map(part => (part.type === 'reasoning' ? part.text : '')).join(''),
    calls: content.flatMap(part => (part.type === 'tool-call' ? [`${part.toolName} ${part.input}`] : [])),
  };
  for (const length of [1, 2, 5, 17, text.length + 1]) {
    const chunks = Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
      text.slice(at * length, (at + 1) * length),
    );
    const streamed = { text: '', reasoning: '', calls: [] as string[] };
    for (const part of await stream(adapt(chunks), { tools })) {
      if (part.type === 'text-delta') streamed.text += part.delta;
      if (part.type === 'reasoning-delta') streamed.reasoning += part.delta;
      if (part.type === 'tool-call') streamed.calls.push(`${part.toolName} ${part.input}`);
    }
    expect(streamed).toEqual(result);
  }
  return result;
}

const call =
  '<tool_call>\n<function=search>\n<parameter=query>\n42\n</parameter>\n<parameter=n>\n7\n</parameter>\n</function>\n</tool_call>';
const called = 'search {"query":"42","n":7}';

describe('a response template', () => {
  it.each<[string, ResponseTemplate, string, Awaited<ReturnType<typeof read>>]>([
    [
      'tags',
      qwen,
      `<think>\nHm.\n</think>\n\nHi\n${call}\n${call}<|im_end|>`,
      { text: 'Hi\n', reasoning: 'Hm.', calls: [called, called] },
    ],
    [
      'a fence',
      qwen,
      `\`\`\`\n${call}\n\`\`\``,
      { text: `\`\`\`\n${call}\n\`\`\``, reasoning: '', calls: [] },
    ],
    [
      'text after the literal start of an opener',
      qwen,
      '<tool_call>{} and <tool_call>',
      { text: '<tool_call>{} and <tool_call>', reasoning: '', calls: [] },
    ],
    [
      'reasoning that the prompt opens',
      hermes,
      'Hm.</think>\nHi<|eot|>',
      { text: 'Hi', reasoning: 'Hm.', calls: [] },
    ],
    [
      'a closer in a string',
      hermes,
      '<think>x</think><tool_call>{"name":"search","arguments":{"query":"a </tool_call> b"}}</tool_call>',
      { text: '', reasoning: 'x', calls: ['search {"query":"a </tool_call> b"}'] },
    ],
    [
      'other delimiters of strings',
      gemma,
      '<|channel>thought\nHm<channel|>Hi<|tool_call>call:search{query:<|"|>a, b: <tool_call|> "c"<|"|>,n:3}<tool_call|><turn|>',
      { text: 'Hi', reasoning: 'Hm', calls: ['search {"query":"a, b: <tool_call|> \\"c\\"","n":3}'] },
    ],
    [
      'lines',
      lines,
      'Hi\nCALL search\nquery: a: b\nn: 5\nnothing\nEND bye',
      { text: 'Hi\n bye', reasoning: '', calls: ['search {"query":"a: b","n":5}'] },
    ],
    [
      'messages',
      inkling,
      '<|content_thinking|>Hm<|end_message|><|message_model|><|content_text|>Hi <c> <|end_message|>x<|content_text|> you<|end_message|>search<|content_invoke_tool_json|>{"name":"search","args":{"query":"x"}}<|end_message|>',
      { text: 'Hi <c> - you', reasoning: 'Hm', calls: ['search {"query":"x"}'] },
    ],
    [
      'a list of calls without a closer',
      mistral,
      'Hi [TOOL_CALLS][{"name":"search","arguments":{"query":"a"}},{"name":"search","arguments":{"query":"b"}}]</s>',
      { text: 'Hi ', reasoning: '', calls: ['search {"query":"a"}', 'search {"query":"b"}'] },
    ],
    [
      'calls alone',
      onlyCalls,
      'dropped <c>{"name":"search","arguments":{"query":"b"}} </c> \n dropped <c>no</c>',
      { text: '<c>no</c>', reasoning: '', calls: ['search {"query":"b"}'] },
    ],
    [
      'closers that are patterns, one of them with the name',
      named,
      '<t>Hm ]] x; </t></t12>Hi [[\nquery: a ] b\nn: 5\n]]  search; and [[\nquery: c\n]]search; bye',
      {
        text: 'Hi  and  bye',
        reasoning: 'Hm ]] x; </t>',
        calls: ['search {"query":"a ] b","n":5}', 'search {"query":"c"}'],
      },
    ],
    [
      'a pattern that closes nothing',
      named,
      'Hi [[\nquery: a\n]] 7',
      { text: 'Hi [[\nquery: a\n]] 7', reasoning: '', calls: [] },
    ],
    [
      'a prototype key',
      lines,
      'CALL search\n__proto__: x\nEND',
      { text: 'CALL search\n__proto__: x\nEND', reasoning: '', calls: [] },
    ],
    [
      'a name in another script',
      lines,
      'CALL naïve\nquery: x\nEND',
      { text: '', reasoning: '', calls: ['naïve {"query":"x"}'] },
    ],
  ])('reads %s', async (_, template, text, expected) => {
    expect(await read(template, text)).toEqual(expected);
  });

  it.each<[string, ResponseTemplate, string, number]>([
    ['whole JSON', hermes, '<think>x</think><tool_call>{"name":"search","arguments":{"query":"a"}}', 1],
    ['half JSON', hermes, '<think>x</think><tool_call>{"name":"search","arguments":{"query":"a"', 0],
    ['a closed last value', qwen, '<tool_call>\n<function=search>\n<parameter=query>x</parameter>', 1],
    ['a missing parameter', qwen, '<tool_call>\n<function=search>\n<parameter=n>1</parameter>', 0],
    ['an open value', qwen, '<tool_call>\n<function=search>\n<parameter=query>x', 0],
    ['lines', lines, 'CALL search\nquery: a', 0],
  ])('decides what a missing closer means after %s', async (_, template, text, calls) => {
    expect((await read(template, text)).calls).toHaveLength(calls);
    expect((await read(template, text, { finishReason: 'length' })).calls).toEqual([]);
  });

  it('runs no call with a part of a value, wherever the text ends', async () => {
    const texts: [ResponseTemplate, string][] = [
      [qwen, call],
      [gemma, '<|tool_call>call:search{query:<|"|>one<|"|>,n:33}<tool_call|>'],
      [lines, 'CALL search\nquery: one\nn: 33\nEND'],
      [hermes, '<think>x</think><tool_call>{"name":"search","arguments":{"query":"one","n":33}}</tool_call>'],
    ];
    for (const [responseTemplate, text] of texts) {
      for (const end of everyNth(
        [...text].map((_, index) => index),
        2,
        1,
      )) {
        const model = adaptModel(writing([text.slice(0, end)], 'length'), { responseTemplate });
        const { content } = await generate(model, { tools });
        for (const part of content) {
          if (part.type === 'tool-call')
            expect(JSON.parse(part.input)).toMatchObject({ n: expect.any(Number) });
        }
      }
    }
  });

  it('replaces the formats of the adapters, and keeps their other changes', async () => {
    const model = { ...writing(['{"name": "x"} <think>a</think>'], 'stop'), modelId: 'qwen3.5-9b' };
    const { content, providerMetadata } = await generate(adaptModel(model, { responseTemplate: lines }), {
      tools,
    });
    expect(content).toMatchObject([{ type: 'text', text: '{"name": "x"} <think>a</think>' }]);
    expect(providerMetadata?.kelivo).toMatchObject({ adapters: ['qwen'], responseTemplate: true });
  });

  it('is a setting of a provider and of single models', async () => {
    const emulator = await startResponsesEmulator();
    try {
      for (const settings of [
        { responseTemplate: qwen },
        { models: { 'tulip-*': { responseTemplate: qwen } } },
      ]) {
        emulator.enqueue([{ text: call }]);
        const provider = createKelivoResponsesProvider({
          baseURL: emulator.baseURL,
          adapters: false,
          ...settings,
        });
        const { content } = await generate(provider('tulip-7b'), { tools });
        expect(content).toMatchObject([{ type: 'tool-call', toolName: 'search' }]);
      }
    } finally {
      await emulator.close();
    }
    expect(() => createKelivoResponsesProvider({ responseTemplate: 'x' as never })).toThrow(
      /responseTemplate/,
    );
  });
});

describe('an invalid response template', () => {
  const withCalls = (tool_calls: object): unknown => ({ start_anchor, fields: { tool_calls } });
  it.each<[string, unknown, string]>([
    [
      'no fields',
      {},
      'Expected `fields` of the response template to be an object with one field or more, got nothing.',
    ],
    [
      'an unknown key',
      { start_anchor, fields: { content: {} }, filds: 1 },
      'Unknown key `filds` in the response template. Did you mean "fields"?',
    ],
    ['no anchor', { fields: { content: {} } }, 'Expected `start_anchor`'],
    [
      'two anchors',
      { start_anchor, start_anchor_pattern: 'b', fields: { content: {} } },
      'Expected `start_anchor_pattern` of the response template to be absent beside `start_anchor`',
    ],
    ['another version', { version: 2, start_anchor, fields: { content: {} } }, 'Expected `version`'],
    ['an unknown field', { start_anchor, fields: { audio: {} } }, 'Expected `fields.audio`'],
    [
      'two fields without opener',
      { start_anchor, fields: { content: {}, thinking: {} } },
      'Expected `fields.thinking.open`',
    ],
    ['calls without opener', withCalls({ close: 'x' }), 'Expected `fields.tool_calls.open`'],
    [
      'both openers',
      withCalls({ open: 'a', open_pattern: 'b' }),
      'Expected `fields.tool_calls.open_pattern` of the response template to be absent beside `open`',
    ],
    ['an empty literal', withCalls({ open: '' }), 'Expected `fields.tool_calls.open`'],
    [
      'an unknown key of a field',
      withCalls({ open: 'a', closed: 'b' }),
      'Unknown key `fields.tool_calls.closed`',
    ],
    [
      'groups without transform',
      withCalls({ open_pattern: '<a (?P<n>\\w+)>' }),
      'Expected `fields.tool_calls.transform` of the response template to be given, because the patterns have the groups n',
    ],
    [
      'a mixed text in a transform',
      withCalls({ open: 'a', transform: { name: 'x{n}' } }),
      'Expected `fields.tool_calls.transform.name`',
    ],
    [
      '`transform_each` alone',
      withCalls({ open: 'a', transform_each: true }),
      'Expected `fields.tool_calls.transform`',
    ],
    [
      'an unknown parser',
      withCalls({ open: 'a', content: 'yaml' }),
      'Expected `fields.tool_calls.content` of the response template to be one of text,',
    ],
    [
      'an unknown argument',
      withCalls({ open: 'a', content: 'json', content_args: { strip: true } }),
      'Unknown key `fields.tool_calls.content_args.strip`',
    ],
    [
      'tags without groups',
      withCalls({ open: 'a', content: 'xml-inline', content_args: { tag_pattern: '(?P<key>a)' } }),
      'Expected `fields.tool_calls.content_args.tag_pattern`',
    ],
    [
      'a join without repeats',
      { start_anchor, fields: { content: { join: '' } } },
      'Expected `fields.content.join`',
    ],
    [
      'text that is parsed',
      { start_anchor, fields: { content: { content: 'json' } } },
      'Expected `fields.content.content`',
    ],
    ['a look-around', withCalls({ open_pattern: '<a(?=b)' }), 'expected no look-around'],
    [
      'no literal start',
      withCalls({ open_pattern: '\\w+x' }),
      'an expression that starts with a literal text',
    ],
    ['a broken expression', withCalls({ open_pattern: '<a(' }), 'expected a closing parenthesis'],
  ])('with %s is an error when the model is adapted', (_, template, message) => {
    expect(() =>
      adaptModel(writing([''], 'stop'), { responseTemplate: template as ResponseTemplate }),
    ).toThrow(message);
  });
});

describe('an expression of Python', () => {
  it.each([
    ['a(?P<x>b|bc)(?P<y>c?d?)', 'zabcdz', [{ x: 'b', y: 'cd' }]],
    [
      '<(?P<k>\\w+)>(?P<v>.*?)</',
      '<a>1</<é>2\n</',
      [
        { k: 'a', v: '1' },
        { k: 'é', v: '2\n' },
      ],
    ],
    ['(?P<x>[a-c]{2,3}?)', 'abcabc', [{ x: 'ab' }, { x: 'ca' }, { x: 'bc' }]],
    ['(?P<x>[^\\]"]+)', '"ab"]c', [{ x: 'ab' }, { x: 'c' }]],
    ['^(?P<x>a)|(?P<y>b)$', 'aab', [{ x: 'a' }, { y: 'b' }]],
    ['(?P<x>\\d+\\.\\d*)', '٣.1 2.', [{ x: '٣.1' }, { x: '2.' }]],
  ])('%s finds its groups', (source, text, expected) => {
    const matches = findAll(compileTemplatePattern(source), text)?.map(groups =>
      Object.fromEntries(Object.entries(groups).filter(([, value]) => value !== undefined)),
    );
    expect(matches).toEqual(expected);
  });

  it.each([
    ['(?:a*)*b', 'a'],
    ['<p>\\s*(?P<v>.*?)\\s*</p>', '<p> '],
    ['a.*b|a', 'a'],
    ['(?:a|a)+$', 'a'],
  ])('takes steps in proportion to the text: %s', (source, unit) => {
    const pattern = compileTemplatePattern(source);
    const steps = (length: number): number => {
      const run = new PatternRun(pattern, true);
      const text = unit.repeat(length);
      for (let at = 0; at < text.length && !run.isDone; at++) run.step(text[at], at, at === 0);
      run.step(undefined, text.length, false);
      return run.steps / text.length;
    };
    expect(steps(5000)).toBeLessThan(1.1 * steps(500) + 1);
    findAll(pattern, unit.repeat(5000));
  });
});
