import { describe, expect, it } from 'vitest';
import { everyNth } from '../_products.js';
import { readAs } from './_read-as.js';
import { callOf, readerOf } from './_read-with.js';

const look = (input: object) => callOf('look', input);
const ping = callOf('ping');
const text = (text: string) => ({ text });
const reasoning = (reasoning: string) => ({ reasoning });

const pairs =
  '<arg_key>place</arg_key><arg_value>Oslo</arg_value><arg_key>days</arg_key><arg_value>3</arg_value>';
const oslo = look({ place: 'Oslo', days: 3 });

const dsml = (prefix: string, list: string) =>
  `<${prefix}${list}>\n<${prefix}invoke name="look">\n<${prefix}parameter name="place" string="true">Oslo</${prefix}parameter>\n` +
  `<${prefix}parameter name="days" string="false">3</${prefix}parameter>\n</${prefix}invoke>\n</${prefix}${list}>`;
const plamo = (name: string) => `<|plamo:${name}:plamo|>`;
const plamoCall = (name: string, json: string) =>
  `${plamo('begin_tool_request')}${plamo('begin_tool_name')}${name}${plamo('end_tool_name')}` +
  `${plamo('begin_tool_arguments')}<|plamo:constrain|>json<|plamo:msg|>${json}${plamo('end_tool_arguments')}${plamo('end_tool_request')}`;
const inklingCall =
  '<|content_invoke_tool_json|>{"name":"look","args":{"place":"Oslo","days":3}}<|end_message|>';
const atem =
  '<atem:function_calls>\n<atem:invoke name="look">\n<atem:parameter name="place">Oslo</atem:parameter>\n<atem:parameter name="days">3</atem:parameter>\n</atem:invoke>\n</atem:function_calls>';
const json = '{"name": "look", "arguments": {"place": "Oslo", "days": 3}}';

/** What each family writes, and its content. */
const rows: readonly (readonly [modelId: string, text: string, ...content: object[]])[] = [
  ['deepseek-ai/DeepSeek-V4.1', `So.\n\n${dsml('｜DSML｜ ', 'calls')}`, text('So.'), oslo],
  ['deepseek-ai/DeepSeek-V4.1', dsml('｜DSML｜', 'calls'), oslo],
  ['deepseek-ai/DeepSeek-V3.2', dsml('｜DSML｜ ', 'function_calls'), oslo],
  [
    'deepseek-ai/DeepSeek-V3.1',
    'It is <｜tool▁output▁begin｜>cold<｜tool▁output▁end｜>.',
    text('It is cold.'),
  ],
  ['ai-sage/GigaChat3.5-Ultra', `So.${dsml('｜GCML｜', 'tool_calls')}`, text('So.'), oslo],
  [
    'zai-org/GLM-5.3',
    '<think>x</think><tool_call>Travel/look>{"place": "Oslo", "days": 3}',
    reasoning('x'),
    oslo,
  ],
  ['zai-org/GLM-5.3', `<tool_call>Travel/look\n${pairs}</tool_call>`, oslo],
  [
    'zai-org/GLM-4.6',
    '<tool_call>look<arg_key>place</arg_key>Oslo</arg_value><arg_key>days<arg_value>3</arg_value></tool_call>',
    oslo,
  ],
  [
    'tencent/Hunyuan-4',
    `<tool_calls><tool_call>look${pairs}</tool_call><tool_call>ping</tool_call></tool_calls>`,
    oslo,
    ping,
  ],
  [
    'tencent/Hy4-preview',
    `<think:6124c78e>x</think:6124c78e>So.<tool_calls:6124c78e><tool_call:6124c78e>look${pairs.replaceAll(/(arg_\w+)>/g, '$1:6124c78e>')}</tool_call:6124c78e></tool_calls:6124c78e>`,
    reasoning('x'),
    text('So.'),
    oslo,
  ],
  ['thinkingmachines/Inkling-1', `look${inklingCall}`, oslo],
  ['thinkingmachines/Inkling-1', inklingCall, oslo],
  [
    'thinkingmachines/Inkling-1',
    `<|content_thinking|>Hm<|end_message|><|message_model|><|content_text|>So<|end_message|><|message_model|>look${inklingCall}<|content_model_end_sampling|>`,
    reasoning('Hm'),
    text('So'),
    oslo,
  ],
  [
    'thinkingmachines/Inkling-1',
    'One<|end_message|><|message_model|><|content_text|> two<|end_message|>',
    text('One two'),
  ],
  [
    'upstage/Solar-Open-2',
    '<|think:start|>x<|think:end|>So.<|tool_call:start|>look\n<|tool_arg:start|>place<|tool_arg:value|>a > <b><|tool_arg:end|>\n<|tool_call:end|>',
    reasoning('x'),
    text('So.'),
    look({ place: 'a > <b>' }),
  ],
  [
    'LLM360/K2-Horizon',
    `So.<ifm|tool_calls><ifm|tool_call>${json}</ifm|tool_call></ifm|tool_calls>`,
    text('So.'),
    oslo,
  ],
  [
    'LLM360/K2-Horizon',
    '<ifm|tool_calls><ifm|tool_call>save<ifm|arg_key>note</ifm|arg_key><ifm|arg_type>string</ifm|arg_type><ifm|arg_value>3</ifm|arg_value><ifm|arg_key>count</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>3</ifm|arg_value></ifm|tool_call></ifm|tool_calls>',
    callOf('save', { note: '3', count: 3 }),
  ],
  ['iflytek/Spark2.5-X', `a<tool_call>look\n${pairs}\n</tool_call>b`, text('a'), oslo, text('b')],
  [
    'naver-hyperclovax/HyperCLOVAX-SEED-Think-32B',
    `<tool_call>look\n${pairs.replace('Oslo', '"Oslo"')}</tool_call><|im_end|>`,
    oslo,
  ],
  [
    'IQuestLab/IQuest-Coder-V2-40B',
    `Hi<iquestcoder_tool_call>look\n${pairs}</iquestcoder_tool_call>`,
    text('Hi'),
    oslo,
  ],
  ['rednote-hilab/dots.llm1.inst', `<dots_function_call>\n${json}\n</dots_function_call>`, oslo],
  [
    'rednote-hilab/dots.llm1.inst',
    '<dots_function_call>\n<invoke name="look">\n<parameter name="place">Oslo</parameter>\n</invoke>\n</dots_function_call>',
    look({ place: 'Oslo' }),
  ],
  [
    'meta/muse-glimmer',
    ` to=self<|message|>Hm<|eom|><|start|>assistant to=look<|message|>${atem}<|eot|>`,
    reasoning('Hm'),
    oslo,
  ],
  ['meta/muse-glimmer', ` to=user<|message|>So ${atem}<|eot|>`, text(`So ${atem}`)],
  [
    'pfnet/plamo-3-nict-31b',
    `${plamo('begin_tool_requests')}${plamoCall('look', '{"place": "Oslo", "days": 3}')}${plamoCall('ping', '{}')}${plamo('end_tool_requests')}<|plamo:tag|>`,
    oslo,
    ping,
  ],
  ['FreedomIntelligence/openPangu-V2', `<|tool_call_start|>[${json}]<|tool_call_end|>`, oslo],
  [
    'ServiceNow-AI/Apriel-1.6-15b-Thinker',
    `Hm.\n[BEGIN FINAL RESPONSE]\nSo.\n<tool_calls>[${json}]</tool_calls>\n<|end|>`,
    reasoning('Hm.'),
    text('So.\n'),
    oslo,
  ],
  ['apriel-1.5', `Hm.\n[BEGIN FINAL RESPONSE]\nSo.[END FINAL RESPONSE]`, reasoning('Hm.'), text('So.')],
  // The marker is not shown either if the reasoning before it is not recognized.
  [
    'apriel-5b',
    'Hi. Here are my reasoning steps: x\n[BEGIN FINAL RESPONSE]So.',
    text('Hi. Here are my reasoning steps: x\nSo.'),
  ],
  ['RekaAI/reka-edge', `<tool_call>${json}</tool_call>`, oslo],
  ['ibm-granite/granite-4.0-h-small', 'look(place="Oslo", days=3)\nping()', oslo, ping],
  ['google/gemma-4-27b-it', '<|channel>Hm<channel|>So', reasoning('Hm'), text('So')],
  [
    'LiquidAI/LFM2-8B-A1B',
    "<|tool_call_start|><|tool_call_start|>[look(place='Oslo', days=3)]<|tool_call_end|><|tool_call_end|>",
    oslo,
  ],
];

const examples = rows.map(([modelId, written, ...content]) => ({ modelId, written, content }));

it.each(examples)('$modelId reads $written', async ({ modelId, written, content }) => {
  expect(await readerOf(modelId)(written)).toEqual(content);
});

describe('text that is no call', () => {
  it.each([
    ['thinkingmachines/Inkling-1', 'look at {"name": "look"}'],
    ['ibm-granite/granite-4.0-h-small', 'look(place="Oslo") is how you look.'],
    ['ibm-granite/granite-4.0-h-small', 'look(place="Oslo")\npong()'],
    ['LLM360/K2-Horizon', 'So<ifm|tool_calls><ifm|tool_call>ping'],
    ['tencent/Hunyuan-4', '<tool_calls><tool_call>pong</tool_call></tool_calls>'],
    ['meta/muse-glimmer', atem],
    ['upstage/Solar-Open-2', '```\n<|tool_call:start|>ping\n<|tool_call:end|>\n```'],
  ])('stays text: %s, %s', async (modelId, written) => {
    expect(await readerOf(modelId)(written)).toEqual([text(written)]);
  });

  it.each(examples)('$modelId makes no call of half a value: $written', async ({ modelId, written }) => {
    const ends = Array.from({ length: Math.ceil((written.length - 1) / 7) }, (_, index) => 1 + 7 * index);
    for (const end of everyNth(ends, 3)) {
      const content = await readerOf(modelId, { chunkings: 'few' })(written.slice(0, end));
      for (const part of content)
        if ('input' in part)
          expect([oslo, ping, ...examples.flatMap(({ content }) => content)]).toContainEqual(part);
    }
  });
});

describe('a value whose schema allows several types', () => {
  const types = {
    union: { type: ['string', 'object'] },
    amount: { type: ['number', 'string'] },
    flag: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
    none: { type: ['string', 'null'] },
    plain: { type: 'string' },
    any: {},
  };
  const read = readAs('zai-org/GLM-4.6', { typed: types });
  it.each([
    ['union', '{"q": 1}', { q: 1 }],
    ['union', '{"q": 1', '{"q": 1'],
    ['amount', '42.5', 42.5],
    ['amount', '12 knots', '12 knots'],
    ['flag', 'False', false],
    ['flag', 'falsely', 'falsely'],
    ['none', 'null', null],
    ['none', 'nullable', 'nullable'],
    ['plain', '{"q": 1}', '{"q": 1}'],
    ['any', '[1]', [1]],
    ['any', '12', '12'],
  ])('%s: %s', async (key, value, expected) => {
    expect(
      await read(`<tool_call>typed<arg_key>${key}</arg_key><arg_value>${value}</arg_value></tool_call>`),
    ).toEqual([callOf('typed', { [key]: expected })]);
  });
});

describe('quotes and backticks', () => {
  const read = readerOf('Qwen/Qwen2.5-72B-Instruct');
  const call = `<tool_call>\n${json}\n</tool_call>`;
  it.each([
    ['Press the ` key. ', ''],
    ['Press `` or ` now: ', '\nDone.'],
    ['> You wrote this.\n', ''],
  ])('%j hides no call', async (before, after) => {
    const content = await read(before + call + after);
    expect(content).toContainEqual(oslo);
  });

  const short = call.replaceAll('\n', '');
  it.each([
    `A \`call ${short}\` here.`,
    `> ${short}\n\nYou sent this.`,
    `> > ${short}`,
    `- > ${short}`,
    `  > ${call.replaceAll('\n', '\n  > ')}\n`,
    `> \`\`\`\n> ${short}\n> \`\`\`\nSo.`,
    `1. \`\`\`\n   ${short}\n   \`\`\`\nSo.`,
    `10. \`\`\`\n    ${short}\n    \`\`\`\nSo.`,
  ])('%j stays text', async written => {
    expect(await read(written)).toEqual([text(written)]);
  });

  it('reads a call after a fence in a list', async () => {
    expect(await read(`10. \`\`\`\n    x\n    \`\`\`\n${call}`)).toContainEqual(oslo);
  });

  it('shows the content of a call without a function', async () => {
    expect(await read('<tool_call>\n<parameter=content>\nx = 1\n</parameter>\n</tool_call>')).toEqual([
      text('```\nx = 1\n```'),
    ]);
  });
});
