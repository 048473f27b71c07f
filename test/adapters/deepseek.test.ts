import { describe, expect, it } from 'vitest';
import type { ReadPart } from './text-tools/_read-text.js';
import { readAs } from './_read-as.js';

const tools = {
  look: {
    place: { type: 'string' },
    days: { type: 'integer' },
    options: { type: ['object', 'null'] },
    any: {},
  },
  ping: {},
};
const callOf = (call: string, input: object = {}): ReadPart => ({ call, input });

describe('DSML', () => {
  const read = readAs('deepseek-ai/DeepSeek-V3.2', tools);
  const list = (content: string) => `<｜DSML｜function_calls>\n${content}\n</｜DSML｜function_calls>`;
  const parameter = (key: string, value: string, isString?: boolean) =>
    `<｜DSML｜parameter name="${key}"${isString === undefined ? '' : ` string="${isString}"`}>${value}</｜DSML｜parameter>`;
  const look = (...content: string[]) =>
    list(`<｜DSML｜invoke name="look">\n${content.join('\n')}\n</｜DSML｜invoke>`);

  it.each<[string, string, boolean | undefined, unknown]>([
    // The schema has no string.
    ['days', '2', true, 2],
    ['days', 'two', true, 'two'],
    ['options', '{"a": 1}', true, { a: 1 }],
    // The schema has a string.
    ['place', '2', true, '2'],
    ['place', '2', false, '2'],
    ['place', 'null', false, 'null'],
    ['place', '"Oslo"', false, 'Oslo'],
    ['place', 'Oslo', false, 'Oslo'],
    ['days', '2', false, 2],
    ['days', 'null', false, null],
    ['options', 'null', false, null],
    ['any', '[1]', false, [1]],
    ['any', '[1]', true, '[1]'],
    // No attribute.
    ['days', '2', undefined, 2],
    ['place', '2', undefined, '2'],
  ])('reads %s of %j (string: %s) as %j', async (key, value, isString, expected) => {
    expect(await read(look(parameter(key, value, isString)))).toEqual([callOf('look', { [key]: expected })]);
  });

  it.each<[string, object]>([
    [parameter('arguments', '{"place": "Oslo", "days": 2}', false), { place: 'Oslo', days: 2 }],
    [parameter('input', '{"place": "Oslo"}', true), { place: 'Oslo' }],
    [parameter('input', '"{\\"place\\": \\"Oslo\\"}"', false), { place: 'Oslo' }],
    ['{\n  "place": "Oslo"\n}', { place: 'Oslo' }],
    // Not all arguments are in the parameter, or not all of them are known.
    [parameter('input', '{"town": "Oslo"}', false), { input: { town: 'Oslo' } }],
    [
      parameter('input', '{"place": "Oslo"}', false) + parameter('days', '2', false),
      { input: { place: 'Oslo' }, days: 2 },
    ],
    [
      parameter('days', '2', false) + parameter('input', '{"place": "Oslo"}', false),
      { days: 2, input: { place: 'Oslo' } },
    ],
  ])('reads the arguments %s', async (content, input) => {
    expect(await read(look(content))).toEqual([callOf('look', input)]);
  });

  it('reads calls that close themselves', async () => {
    const ping = '<｜DSML｜invoke name="ping"/>';
    expect(await read(`So:\n\n${list(`${ping}\n${ping}`)}`)).toEqual([
      { text: 'So:' },
      callOf('ping'),
      callOf('ping'),
    ]);
  });
});

describe('distillations of R1', () => {
  it.each(['deepseek-ai/DeepSeek-R1-Distill-Qwen-32B', 'DeepSeek-R1-0528-Qwen3-8B', 'deepseek-r1:32b'])(
    '%s write calls as Qwen',
    async id => {
      const text = 'Hm.\n</think>\n\n<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
      expect(await readAs(id, tools)(text)).toEqual([{ reasoning: 'Hm.' }, callOf('ping')]);
    },
  );

  it('on Llama write calls as Llama', async () => {
    const text = 'Hm.\n</think>\n\n{"name": "look", "parameters": {"days": 1}}';
    expect(await readAs('DeepSeek-R1-Distill-Llama-8B', tools)(text)).toEqual([
      { reasoning: 'Hm.' },
      callOf('look', { days: 1 }),
    ]);
  });
});
