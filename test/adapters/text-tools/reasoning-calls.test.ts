import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { thinkTags } from '../../../src/adapters/text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import { type ReadPart, readText, type ReadTextOptions } from './_read-text.js';

const options = {
  formats: [formats.hermes, formats.qwenXml, formats.glm, formats.kimi],
  reasoning: [thinkTags],
};
const middleware = textToolsMiddleware(options);
const tools = { look: { place: { type: 'string' } } };
const read = async (text: string, more: Partial<ReadTextOptions> = {}): Promise<ReadPart[]> =>
  (await readText(text, { middleware, tools, ...more })).content;

const calls = [
  '<tool_call>{"name": "look", "arguments": {"place": "Oslo"}}</tool_call>',
  '<tool_call>\n<function=look>\n<parameter=place>\nOslo\n</parameter>\n</function>\n</tool_call>',
  '<tool_call>look\n<arg_key>place</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>',
  '<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"place": "Oslo"}<|tool_call_end|>',
];
const [written = ''] = calls;
const found: ReadPart = { call: 'look', input: { place: 'Oslo' } };

describe('unclosed reasoning', () => {
  it.each(calls)('ends with the call %j', async call => {
    expect(await read(`<think>\nHm.\n${call}\n`)).toEqual([{ reasoning: 'Hm.' }, found]);
  });

  it.each<[string, ...ReadPart[]]>([
    [`<think>${written}\n${written}`, found, found],
    [
      `<think>As in <tool_call>, or ${written}, so:\n${written}`,
      { reasoning: `As in <tool_call>, or ${written}, so:` },
      found,
    ],
  ])('ends with the last calls of %j', async (text, ...content) => {
    expect(await read(text)).toEqual(content);
  });

  it.each([
    `Hm. ${written} Or not?`,
    `Hm. ${written.replace('look', 'other')}`,
    `Hm. ${written}\n<tool_call>{"name": "look", "argum`,
    `Hm. ${written.slice(0, -16)}`,
    `Hm.\n\`\`\`\n${written}\n\`\`\``,
    `Hm. \`${written}\``,
  ])('contains no call: %j', async text => {
    expect(await read(`<think>${text}`)).toEqual([{ reasoning: text }]);
  });

  it('contains no call if the request allows none', async () => {
    expect(await read(`<think>Hm. ${written}`, { toolChoice: { type: 'none' } })).toEqual([
      { reasoning: `Hm. ${written}` },
    ]);
  });
});

it.each([`Hm. ${written}`, 'Hm. <tool_call>{"name": "look", "arguments": {"place": "'])(
  'closed reasoning contains no call: %j',
  async text => {
    expect(await read(`<think>${text}</think>So. ${written}`)).toEqual([
      { reasoning: text },
      { text: 'So. ' },
      found,
    ]);
  },
);

describe('a closing tag without its opening tag', () => {
  it.each<[string, ...ReadPart[]]>([
    ['</think>\n\nSo.', { text: 'So.' }],
    ['\n</think>So.', { text: 'So.' }],
    [`</think>${written}`, found],
    ['Hm.\n</think>\n\nSo.', { text: 'Hm.\n\n\nSo.' }],
    [`So. ${written}</think> Done.`, { text: 'So. ' }, found, { text: ' Done.' }],
    ['<think>Hm.</think>\n</think>\nSo.', { reasoning: 'Hm.' }, { text: 'So.' }],
  ])('is dropped from %j', async (text, ...content) => {
    expect(await read(text)).toEqual(content);
  });

  it.each([
    'The tag </think> ends it.',
    'Quote "</think>" as it is.',
    'Use `</think>` and:\n```\n</think>\n```\n',
    'From <think> to\n</think> it thinks.',
  ])('is part of the text %j', async text => {
    expect(await read(text)).toEqual([{ text }]);
  });
});

describe('a response that starts in reasoning', () => {
  const startsInside = textToolsMiddleware({ ...options, startsInReasoning: true });

  it('is reasoning, and calls at its end are calls, if it does not finish normally', async () => {
    const finishReason = 'tool-calls';
    expect(await read(`Hm. ${written}`, { middleware: startsInside, finishReason })).toEqual([
      { reasoning: 'Hm.' },
      found,
    ]);
  });

  it('contains no call if it was truncated', async () => {
    expect(await read(`Hm. ${written}`, { middleware: startsInside, finishReason: 'length' })).toEqual([
      { reasoning: 'Hm.' },
      { reasoning: written },
    ]);
  });
});

it('reads no call in reasoning that starts after text, at the start of a line', async () => {
  const middleware = textToolsMiddleware({ formats: [formats.hermes], reasoning: [thinkTags] });
  const written = '<tool_call>{"name": "look", "arguments": {}}</tool_call>';
  const { content } = await readText(`See.\n<think>Maybe ${written}</think>\n${written}</t\n \n`, {
    middleware,
    tools: { look: {} },
  });
  expect(content).toEqual([
    { text: 'See.\n' },
    { reasoning: `Maybe ${written}` },
    { call: 'look', input: {} },
  ]);
});
