import { describe, expect, it } from 'vitest';
import type { ReadPart } from './text-tools/_read-text.js';
import { callOf, inputDeltas, readerOf } from './_read-with.js';

const look = (input: object) => callOf('look', input);
const ping = callOf('ping');

type Row = [text: string, ...content: ReadPart[]];

/** Checks the content of texts, and that other texts are emitted unchanged. */
function describeModel(
  modelId: string,
  { reads, keeps }: { reads: readonly Row[]; keeps: readonly string[] },
) {
  describe(modelId, () => {
    const read = readerOf(modelId);
    it.each(reads.map(([text, ...content]) => ({ text, content })))('$text', async ({ text, content }) => {
      expect(await read(text)).toEqual(content);
    });
    it.each(keeps)('%j stays text', async text => {
      const content = await read(text);
      expect(content.map(one => ('text' in one ? one.text : one)).join('')).toBe(text);
    });
  });
}

const list = '[{"name": "look", "arguments": {"place": "Oslo"}}, {"arguments": {}, "name": "ping"}]';
const named = '[{"name": "look", "arguments": {"place": "Oslo"}}, {"name": "ping", "arguments": {}}]';
const listed = [look({ place: 'Oslo' }), ping];

describeModel('ibm-granite/granite-3.3-8b-instruct', {
  reads: [
    [`<|tool_call|>${list}`, ...listed],
    [`<|tool_call|> ${list}<|end_of_text|>`, ...listed],
    [`<tool_call> ${list}`, ...listed],
    [`Well.\n<|tool_call|>${list}\nThat is it.`, { text: 'Well.\n' }, ...listed, { text: '\nThat is it.' }],
    [
      '<function_call> {"name": "ping", "arguments": {}} <function_call> {"name": "look", "arguments": {"days": 1}}',
      ping,
      look({ days: 1 }),
    ],
    [
      '<think>\nHm.\n</think>\n<response>\nIt is so.\n</response>',
      { reasoning: 'Hm.' },
      { text: 'It is so.' },
    ],
    [
      `<think>I call <|tool_call|>${list}.</think><response>No.</response>`,
      { reasoning: `I call <|tool_call|>${list}.` },
      { text: 'No.' },
    ],
  ],
  keeps: [
    'The marker <|tool_call|> starts a list.',
    'The tag <response> is XML, and so is </response>.',
    `As in \`<|tool_call|>${list}\`.`,
    `${'```'}\n<|tool_call|>${list}\n${'```'}`,
    '<|tool_call|>[{"name": "look", "arguments": {"place": "Os',
    'Some text [{"name": "look"}]',
  ],
});

describeModel('nvidia/NVIDIA-Nemotron-Nano-12B-v2', {
  reads: [
    [`Hm.\n</think>\n<TOOLCALL>${list}</TOOLCALL>`, { reasoning: 'Hm.' }, ...listed],
    [
      '</think><TOOLCALL>[{"name": "look", "arguments": "{\\"place\\": \\"Oslo\\", \\"days\\": 1}"}]</TOOLCALL><SPECIAL_12>',
      look({ place: 'Oslo', days: 1 }),
    ],
    [
      `<think></think>So:\n<TOOLCALL>${list}</TOOLCALL> That is it.`,
      { text: 'So:\n' },
      ...listed,
      { text: ' That is it.' },
    ],
  ],
  keeps: [],
});

describeModel('nvidia/Llama-3_3-Nemotron-Super-49B-v1', {
  reads: [
    [`<think>\nHm.\n</think>\n\n<TOOLCALL>${list}</TOOLCALL>`, { reasoning: 'Hm.' }, ...listed],
    [
      '<TOOLCALL>[{"name": "ping", "arguments": {}}, {"name": "look", "arguments": {"days": 1',
      ping,
      { text: ', {"name": "look", "arguments": {"days": 1' },
    ],
  ],
  keeps: [
    'Calls go between <TOOLCALL> and </TOOLCALL>.',
    `As in \`<TOOLCALL>${list}</TOOLCALL>\`.`,
    `${'```'}\n<TOOLCALL>${list}</TOOLCALL>\n${'```'}`,
    '<TOOLCALL>[{"name": "look", "arguments": "{\\"place\\": \\"Os"}]</TOOLCALL>',
  ],
});

describeModel('Salesforce/Llama-xLAM-2-8b-fc-r', {
  reads: [
    [list.replace('"arguments": {}, "name": "ping"', '"name": "ping", "arguments": {}'), ...listed],
    ['[ {"name": "ping", "arguments": {}} ]\nDone.', ping, { text: '\nDone.' }],
    ['<think>Hm.</think>\n[{"name": "ping", "arguments": {}}]', { reasoning: 'Hm.' }, ping],
    [`${'```'}json\n${named}\n${'```'}`, ...listed],
    [`<think>Hm.</think>\n${'```'}json\n${named}\n${'```'}\n`, { reasoning: 'Hm.' }, ...listed],
    [`{"tool_calls": ${named}}`, ...listed],
    [`{ "tool_calls" : ${named} }`, ...listed],
    [`So.[TOOL_CALLS]${list}`, { text: 'So.' }, ...listed],
    [`So. <tool_call>${list}</tool_call>`, { text: 'So. ' }, ...listed],
  ],
  keeps: [
    '[see (a=1)]',
    '[1, 2, 3]',
    '[{"name": "Ada", "arguments": {}}]',
    '[{"title": "look", "name": "ping", "arguments": {}}]',
    `The calls are ${list}`,
    `${'```'}json\n${list}\n${'```'}\nis an example.`,
    `As in:\n${'```'}json\n${list}\n${'```'}`,
    `${'```'}json\n[{"name": "Ada", "arguments": {}}]\n${'```'}`,
    '{"tool_calls": []}',
    '{"tool_calls": [{"name": "Ada", "arguments": {}}]}',
    '[',
  ],
});

describeModel('meituan-longcat/LongCat-Flash-Chat', {
  reads: [
    [
      'So.\n<longcat_tool_call>{"name": "look", "arguments": {"days": 1}}</longcat_tool_call>\n<longcat_tool_call>ping</longcat_tool_call>',
      { text: 'So.\n' },
      look({ days: 1 }),
      ping,
    ],
    [
      '<longcat_tool_call>look\n<longcat_arg_key>place</longcat_arg_key>\n<longcat_arg_value>3 < 4</longcat_arg_value>\n<longcat_arg_key>days</longcat_arg_key>\n<longcat_arg_value>3</longcat_arg_value>\n</longcat_tool_call>',
      look({ place: '3 < 4', days: 3 }),
    ],
    [
      '<longcat_think>\nHm.\n</longcat_think>\n<longcat_tool_call>ping</longcat_tool_call>',
      { reasoning: 'Hm.' },
      ping,
    ],
  ],
  keeps: [
    'It starts with <longcat_tool_call> and ends with </longcat_tool_call>.',
    '<longcat_tool_call>look\n<longcat_arg_key>place</longcat_arg_key><longcat_arg_value>Os',
    '<longcat_tool_call>{"name": "look", "arguments": {"place": "Os',
    '`<longcat_tool_call>ping</longcat_tool_call>`',
  ],
});

const pair = (key: string, value: string, suffix = '') =>
  `<arg_key${suffix}>${key}</arg_key${suffix}>\n<arg_value${suffix}>${value}</arg_value${suffix}>`;

describeModel('tencent/Hy3', {
  reads: [
    [
      `So. <tool_calls>\n<tool_call>look<tool_sep>\n${pair('place', 'a\nb')}\n${pair('days', '3')}\n</tool_call>\n<tool_call>ping<tool_sep></tool_call>\n</tool_calls>\nDone.`,
      { text: 'So. ' },
      look({ place: 'a\nb', days: 3 }),
      ping,
      { text: '\nDone.' },
    ],
    [
      `<think:opensource>Hm.</think:opensource><tool_calls:opensource>\n<tool_call:opensource>save<tool_sep:opensource>\n${pair('tags', "['a', 'b']", ':opensource')}${pair('body', '</arg_value>', ':opensource')}\n</tool_call:opensource>\n</tool_calls:opensource>`,
      { reasoning: 'Hm.' },
      callOf('save', { tags: ['a', 'b'], body: '</arg_value>' }),
    ],
    [`<tool_call:beta>look<tool_sep:beta>${pair('days', '3', ':beta')}</tool_call:beta>`, look({ days: 3 })],
    [
      `<tool_calls><tool_call>ping<tool_sep></tool_call><tool_call>look<tool_sep>${pair('days', '3')}`,
      ping,
      look({ days: 3 }),
    ],
  ],
  keeps: [
    'It starts with <tool_calls> or <tool_calls:word>.',
    'Hello <tool_',
    '<tool_calls><tool_call>look<tool_sep><arg_key>place</arg_key><arg_value>Os',
    '<tool_calls:>x',
    '<tool_call:a b>ping<tool_sep:a b></tool_call:a b>',
    '`<tool_calls><tool_call>ping<tool_sep></tool_call></tool_calls>`',
  ],
});

describeModel('tencent/Hunyuan-A13B-Instruct', {
  reads: [
    [
      `<think>\nHm.\n</think>\n<answer>\nSo.\n<tool_calls>${list}</tool_calls>\n</answer>`,
      { reasoning: 'Hm.' },
      { text: 'So.\n' },
      ...listed,
    ],
    ['<think>\n\n</think>\n<answer>\nFine.\n</answer>', { text: 'Fine.' }],
    [
      '<tool_calls>[{"name": "save", "arguments": {"tags": [{"a": {"b": []}}, "]"]}}]</tool_calls>',
      callOf('save', { tags: [{ a: { b: [] } }, ']'] }),
    ],
  ],
  keeps: ['The <answer> is in <tool_calls>.', '<tool_calls>[{"name": "look", "arguments": {"place": "Os'],
});

describeModel('ai21labs/AI21-Jamba-1.5-Mini', {
  reads: [[` <tool_calls>${list}</tool_calls>`, ...listed]],
  keeps: ['The calls are in <tool_calls>.'],
});

describeModel('microsoft/Phi-4-mini-instruct', {
  reads: [
    [`functools${list}`, ...listed],
    [
      'functools[{"name": "save", "arguments": {"tags": ["]", []]}}]<|end|>',
      callOf('save', { tags: [']', []] }),
    ],
    [
      `Let me look.\n\nfunctools${list}\n\nMore?`,
      { text: 'Let me look.\n\n' },
      ...listed,
      { text: '\n\nMore?' },
    ],
    [`<|tool_call|>${list}<|/tool_call|>`, ...listed],
  ],
  keeps: [
    'functools is a module of Python.',
    'from functools import wraps\nfunctools[0]',
    `Write functools${list}`,
    'functools{"name": "ping"}',
    'functools[{"name": "look", "arguments": {"place": "Os',
    `${'```'}\nfunctools${list}\n${'```'}`,
  ],
});

describeModel('internlm/internlm2_5-7b-chat', {
  reads: [
    [
      'So. <|action_start|><|plugin|>{"name": "look", "parameters": {"days": 1}}<|action_end|><|action_start|> <|plugin|>\n{"name": "ping", "arguments": {}}<|action_end|><|im_end|>',
      { text: 'So. ' },
      look({ days: 1 }),
      ping,
    ],
  ],
  keeps: [
    '<|action_start|><|interpreter|>print(1)<|action_end|>',
    '<|action_start|><|plugin|>{"name": "look", "parameters": {',
    '<|action_start|><|plugin|>',
  ],
});

describeModel('XiaomiMiMo/MiMo-V2.6-Pro', {
  reads: [
    [
      '<tool_call>\n<function=save>\n<parameter=path>a &amp; b</parameter>\n<parameter=body>\nx\n\n</parameter>\n</function>\n</tool_call>',
      callOf('save', { path: 'a &amp; b', body: 'x\n' }),
    ],
    [
      '<tool_call><function=save><parameter=body>x\n</parameter><parameter=path>\r\n\r\n</parameter></function></tool_call>',
      callOf('save', { body: 'x\n', path: '' }),
    ],
    ['<tool_call>{"name": "ping", "arguments": {}}</tool_call>', ping],
  ],
  keeps: [],
});

describeModel('poolside/Laguna-XS.2', {
  reads: [
    [
      `<think>Hm.</think><tool_call>look\n${pair('place', 'x\n')}\n${pair('days', '3')}\n</tool_call>\n<tool_call>ping</tool_call>`,
      { reasoning: 'Hm.' },
      look({ place: 'x\n', days: 3 }),
      ping,
    ],
  ],
  keeps: [],
});

describeModel('swiss-ai/Apertus-8B-Instruct-2509', {
  reads: [
    [
      '<|inner_prefix|>Hm.<|inner_suffix|>So.<|tools_prefix|>[{"look": {"days": 1}}, { "ping" : {} }]<|tools_suffix|>',
      { reasoning: 'Hm.' },
      { text: 'So.' },
      look({ days: 1 }),
      ping,
    ],
    ['<|tools_prefix|>[{"ping": {}}]<|assistant_end|>', ping],
  ],
  keeps: [
    'The list starts with <|tools_prefix|>.',
    '<|tools_prefix|>[{"look": {"place": "Os',
    '<|tools_prefix|>[{"look": {"days": 1}, "ping": {}}]<|tools_suffix|>',
  ],
});

describeModel('MiniMaxAI/MiniMax-M1-80k', {
  reads: [
    [
      '<think>Hm.</think>\n<tool_calls>\n{"name": "look", "arguments": {"place": "Oslo"}}\n{"name": "ping", "arguments": {}}\n</tool_calls>',
      { reasoning: 'Hm.' },
      ...listed,
    ],
  ],
  keeps: ['The calls are in <tool_calls>.'],
});

describeModel('google/gemma-3-27b-it', {
  reads: [
    [`${'```'}tool_code\nprint(look(place="Oslo"))\nprint( ping() )\n${'```'}`, ...listed],
    [`${'```'}tool_code\nprint(default_api.look(place="O(slo)"))\n${'```'}`, look({ place: 'O(slo)' })],
  ],
  keeps: [
    `${'```'}tool_code\nprint("look(place=1)")\n${'```'}`,
    `${'```'}tool_code\nprint(look(place="Oslo")\n${'```'}`,
    `${'```'}tool_code\nprint(look(place="Oslo"), 1)\n${'```'}`,
  ],
});

describeModel('ai-sage/GigaChat3-10B-A1.8B', {
  reads: [
    [
      'So.<|function_call|>{"name": "ping", "arguments": {}}<|function_call|>{"name": "look", "arguments": {}} x',
      { text: 'So.' },
      ping,
    ],
    [
      'So.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "look", "arguments": {"days": 1}}</s>',
      { text: 'So.' },
      look({ days: 1 }),
    ],
    ['<|function_call|>{"name": "ping", "arguments": {}}', ping],
    ['So.\nfunction call\n{"name": "ping", "arguments": {}}', { text: 'So.\n' }, ping],
  ],
  keeps: [
    'A function call {"name": "ping"} is JSON.',
    'function calls are JSON.\nfunction call',
    '<|function_call|>{"name": "look", "arguments": {"place": "Os',
  ],
});

describeModel('openbmb/MiniCPM5-8B', {
  reads: [
    ['<function name="ping"/>', ping],
    [
      'So.\n<function name="save"><param name="path">a &amp; b & c</param><param name=\'body\'><![CDATA[\n</param> &amp; ]] ]>\n]]></param></function>\n<function name="ping"></function>',
      { text: 'So.\n' },
      callOf('save', { path: 'a & b & c', body: '\n</param> &amp; ]] ]>\n' }),
      ping,
    ],
    [
      '<function name="look">\n<param name="days">3</param>\n<param name="hourly">true</param>\n</function>',
      look({ days: 3, hourly: true }),
    ],
  ],
  keeps: [
    '<function name="look"><param name="place"><![CDATA[Os',
    '<function name="look"><param>Oslo</param></function>',
    '<function name="look"><param name="days"><![CDATA[1]]></param><param name="days">2</param></function>',
    'A tag <function name="x"> alone.',
  ],
});

describeModel('deepcogito/cogito-v2-preview-deepseek-671B', {
  reads: [
    [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"days": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      look({ days: 3 }),
    ],
    ['<tool_call>{"name": "ping", "arguments": {}}</tool_call>', ping],
    ['<｜tool▁outputs▁begin｜>Fine.<｜tool▁outputs▁end｜>', { text: 'Fine.' }],
  ],
  keeps: [],
});

describeModel('CohereLabs/command-a-03-2025', {
  reads: [['<|START_TEXT|>Fine.<|END_TEXT|><|END_OF_TURN_TOKEN|>', { text: 'Fine.' }]],
  keeps: [],
});

describe.each([
  'HuggingFaceTB/SmolLM3-3B',
  'arcee-ai/Trinity-Mini',
  'baidu/ERNIE-4.5-21B-A3B-Thinking',
  'deepcogito/cogito-v1-preview-llama-8B',
  'LGAI-EXAONE/EXAONE-4.0-32B',
  'ibm-granite/granite-4.0-h-small',
])('%s', modelId => {
  it('reads the calls of Hermes after reasoning', async () => {
    const text =
      '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {"days": 1}}\n</tool_call>';
    expect(await readerOf(modelId)(text)).toEqual([{ reasoning: 'Hm.' }, look({ days: 1 })]);
  });
});

describeModel('baidu/ERNIE-4.5-21B-A3B-Thinking', {
  reads: [
    ['Hm.\n</think>\n\n<response>\nFine.\n</response>\n', { reasoning: 'Hm.' }, { text: 'Fine.' }],
    [
      'Hm.\n</think>\n\n<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>',
      { reasoning: 'Hm.' },
      ping,
    ],
  ],
  keeps: [],
});

// A quote ends a string only if the text after it fits.
const long = 'Oslo'.repeat(70);
const deltas = [`{"place": "${long}`, 'lo", ', '"days": 1}'];

it.each([
  ['ibm-granite/granite-3.3-8b-instruct', '<|tool_call|>[{"name": "look", "arguments": ', '}]'],
  ['nvidia/Llama-3_3-Nemotron-Super-49B-v1', '<TOOLCALL>[{"name": "look", "arguments": ', '}]</TOOLCALL>'],
  ['Salesforce/xLAM-2-32b-fc-r', '[{"name": "look", "arguments": ', '}]'],
  [
    'meituan-longcat/LongCat-Flash-Chat',
    '<longcat_tool_call>{"name": "look", "arguments": ',
    '}</longcat_tool_call>',
  ],
  ['tencent/Hunyuan-A13B-Instruct', '<tool_calls>[{"name": "look", "arguments": ', '}]</tool_calls>'],
  ['microsoft/Phi-4-mini-instruct', 'functools[{"name": "look", "arguments": ', '}]'],
  [
    'internlm/internlm3-8b-instruct',
    '<|action_start|><|plugin|>{"name": "look", "parameters": ',
    '}<|action_end|>',
  ],
])('streams the arguments of %s as they arrive', async (modelId, before, after) => {
  expect(await inputDeltas(modelId, [before, ...deltas, after])).toEqual([
    `{"place": "${long}`,
    'lo',
    '", "days": 1}',
  ]);
});

it('streams the text values of Hunyuan 3 as they arrive', async () => {
  const chunks = [
    `<tool_calls:x><tool_call:x>look<tool_sep:x><arg_key:x>place</arg_key:x><arg_value:x>${long}`,
    'lo',
    '</arg_value:x></tool_call:x></tool_calls:x>',
  ];
  expect(await inputDeltas('tencent/Hy3', chunks)).toEqual([`{"place":"${long}`, 'lo', '"}']);
});

describeModel('ibm-granite/granite-3.2-8b-instruct', {
  reads: [
    [
      'Here is my thought process:\nHm.\n\nHere is my response:\nDone.',
      { reasoning: 'Hm.' },
      { text: 'Done.' },
    ],
    [
      'Here is my thought process:\nHm.\n\nHere is my response:\n<|tool_call|>[{"name": "ping", "arguments": {}}]',
      { reasoning: 'Hm.' },
      ping,
    ],
  ],
  keeps: ['Done. Here is my thought process: none.'],
});

describeModel('openbmb/MiniCPM5-8B', {
  reads: [
    ['<functionname="look"><paramname="place">Oslo</param></function>', look({ place: 'Oslo' })],
    ['<functionĠname="look">Ċ<paramĠname="place">NewĠYork</param>Ċ</function>', look({ place: 'New York' })],
    ['<function name="look">Ċ<paramĠname="place">Oslo</param>Ċ</function>', look({ place: 'Oslo' })],
    ['<function name="look"><param name="place">Ġgantija</param></function>', look({ place: 'Ġgantija' })],
    [
      '<function name="look"><param name="arguments">{"place": "Oslo"}</param></function>',
      look({ place: 'Oslo' }),
    ],
    [
      '<function name="look"><param name="properties">{"place": "Oslo"}</param></function>',
      look({ place: 'Oslo' }),
    ],
  ],
  keeps: [
    '<function name="look"><param name="place">Oslo</param><param name="place">Rome</param></function>',
    '<function name="look"><param>Oslo</param></function>',
    '<functionname="look"><paramname="place">Oslo',
    '<functionname=look>Oslo</function>',
  ],
});

describeModel('Salesforce/xLAM-1b-fc-r', {
  reads: [
    [
      '{"thought": "Hm.", "tool_calls": [{"name": "look", "arguments": {"place": "Oslo"}}]}',
      { reasoning: 'Hm.' },
      look({ place: 'Oslo' }),
    ],
    ['{"thought": "", "tool_calls": [{"name": "ping", "arguments": {}}]}', ping],
  ],
  keeps: [
    '{"thought": "Hm.", "tool_calls": []}',
    '{"thought": "Hm."}',
    '{"thought": "Hm.", "answer": "Yes."}',
  ],
});
