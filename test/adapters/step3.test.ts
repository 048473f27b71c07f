import { describe, expect, it } from 'vitest';
import type { ReadPart } from './text-tools/_read-text.js';
import { readAs, toText } from './_read-as.js';

const tools = {
  look: { place: { type: 'string' }, days: { type: 'integer' }, near: { type: 'array' } },
  ping: {},
};
const callOf = (call: string, input: object = {}): ReadPart => ({ call, input });

describe('Step 3', () => {
  const read = readAs('stepfun-ai/step3', tools);
  const invoke = (name: string, content = '') => `<steptml:invoke name="${name}">${content}</steptml:invoke>`;
  const parameter = (key: string, value: string) =>
    `<steptml:parameter name="${key}">${value}</steptml:parameter>`;
  const section = (...calls: string[]) =>
    `<｜tool_calls_begin｜>\n${calls.map(call => `<｜tool_call_begin｜>${call}<｜tool_call_end｜>\n`).join('')}<｜tool_calls_end｜>`;

  it.each<[string, ...ReadPart[]]>([
    [
      `So: ${section(`function<｜tool_sep｜>${invoke('look', parameter('place', ' a < b \n') + parameter('days', '2'))}`)} Done.`,
      { text: 'So: ' },
      callOf('look', { place: 'a < b', days: 2 }),
      { text: ' Done.' },
    ],
    [
      section(invoke('look', parameter('near', '["a"]')), invoke('ping')),
      callOf('look', { near: ['a'] }),
      callOf('ping'),
    ],
  ])('%s', async (text, ...content) => {
    expect(await read(`Hm.</think>${text}`)).toEqual([{ reasoning: 'Hm.' }, ...content]);
  });

  it('leaves a truncated call in the text', async () => {
    const text = `<｜tool_calls_begin｜><｜tool_call_begin｜><steptml:invoke name="look"><steptml:parameter name="place">a`;
    expect(toText(await read(`</think>${text}`))).toBe(text);
  });
});

describe('Step 3.5', () => {
  it('writes calls as Qwen3-Coder, and starts in reasoning', async () => {
    const text =
      "Hm.\n</think>\n<tool_call>\n<function=look>\n<parameter=near>\n['a']\n</parameter>\n</function>\n</tool_call>Done.";
    expect(await readAs('stepfun-ai/Step-3.5-Flash', tools)(text)).toEqual([
      { reasoning: 'Hm.' },
      callOf('look', { near: ['a'] }),
      { text: 'Done.' },
    ]);
  });
});

describe('MiMo', () => {
  it.each([
    ['a\n', 'a\n'],
    ['\na\n', 'a'],
    ['&amp;', '&amp;'],
  ])('keeps the value %j', async (value, place) => {
    const text = `<tool_call><function=look><parameter=place>${value}</parameter></function></tool_call>`;
    expect(await readAs('XiaomiMiMo/MiMo-V2-Flash', tools)(text)).toEqual([callOf('look', { place })]);
  });
});

describe('Qwen XML', () => {
  const read = readAs('qwen3-coder', { ...tools, 'my tool': { 'a b': { type: 'string' } } });

  it.each<[string, ...ReadPart[]]>([
    ['<tool_call><function=ping/></tool_call>', callOf('ping')],
    ['<function=ping />\n<function=ping/>', callOf('ping'), callOf('ping')],
    [
      '<tool_call><function="my tool"><parameter="a b">x</parameter></function></tool_call>',
      callOf('my tool', { 'a b': 'x' }),
    ],
    [
      '<function=look>\n<parameter=place>\nSee\n<function=ping/>\n</parameter>\n</function>',
      callOf('look', { place: 'See\n<function=ping/>' }),
    ],
  ])('%s', async (text, ...content) => expect(await read(text)).toEqual(content));
});
