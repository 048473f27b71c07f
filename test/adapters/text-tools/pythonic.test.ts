import { describe, expect, it } from 'vitest';
import { families, type ModelAdapter, modelAdapters } from '../../../src/adapters/index.js';
import { type ReadPart, readText, streamChunks } from './_read-text.js';

const tools = {
  look: { place: { type: 'string' }, days: { type: 'integer' } },
  save: { body: { type: 'string' }, opts: { type: 'object' }, tags: { type: 'array' }, any: {} },
  'shop.buy': { item: { type: 'string' } },
  ping: {},
};

const read = async ({ middleware }: ModelAdapter, text: string): Promise<ReadPart[]> =>
  (await readText(text, { middleware, tools })).content;

const save = (any: unknown): ReadPart => ({ call: 'save', input: { any } });
const look = (place: string): ReadPart => ({ call: 'look', input: { place } });
const ping: ReadPart = { call: 'ping', input: {} };

describe('Python values', () => {
  it.each<[string, unknown]>([
    [`'a'`, 'a'],
    [`"it's"`, `it's`],
    [`'it\\'s \\\\ \\n \\x41 \\u00e9 \\U0001F642 \\ud83d\\ude42 \\101'`, `it's \\ \n A é 🙂 🙂 A`],
    [`'C:\\Data\\q'`, 'C:\\Data\\q'],
    [`r'C:\\new'`, 'C:\\new'],
    [`f'{{x}}'`, '{x}'],
    [`'''a 'b' "c"\nd'''`, `a 'b' "c"\nd`],
    [`"""{"k": "v"}"""`, '{"k": "v"}'],
    [`'a\nb'`, 'a\nb'],
    [`'a' "b"\n 'c'`, 'abc'],
    [`('a'\n 'b')`, 'ab'],
    [`''`, ''],
    [`-1`, -1],
    [`+2.50`, 2.5],
    [`1_000`, 1000],
    [`0x10`, 16],
    [`.5`, 0.5],
    [`1e3`, 1000],
    [`True`, true],
    [`false`, false],
    [`None`, null],
    [`null`, null],
    [`[1, [2], ]`, [1, [2]]],
    [`(1, 'a')`, [1, 'a']],
    [`(1,)`, [1]],
    [`()`, []],
    [`(1)`, 1],
    [`{'a', 'b'}`, ['a', 'b']],
    [`{'a': {"b": [True, None]}, 1: 2,}`, { a: { b: [true, null] }, 1: 2 }],
    [`{}`, {}],
    [`'a, b=1), ping()]'`, 'a, b=1), ping()]'],
    [`007`, '007'],
  ])('%s', async (text, value) => {
    expect(await read(families.llama, `[save(any=${text})]`)).toEqual([save(value)]);
    expect(await read(families.olmo3, `<function_calls>save(any=${text})</function_calls>`)).toEqual([
      save(value),
    ]);
  });

  it('keeps long integers digit by digit', async () => {
    const text = '[save(any=12345678901234567890)]';
    const parts = await streamChunks([text], { middleware: families.llama.middleware, tools });
    expect(parts.find(part => part.type === 'tool-call')).toMatchObject({
      input: '{"any":12345678901234567890}',
    });
  });

  it('fits numbers and words to the schema', async () => {
    expect(await read(families.llama, `[look(place=12, days=07), save(body=True, any='3')]`)).toEqual([
      { call: 'look', input: { place: '12', days: 7 } },
      { call: 'save', input: { body: 'True', any: '3' } },
    ]);
  });

  it.each([
    `1+1`,
    `'a' + 'b'`,
    `'a'.upper()`,
    `'%s' % x`,
    `'a' if x else 'b'`,
    `f'{x}'`,
    `b'a'`,
    `x`,
    `1j`,
    `1e999`,
    `[1`,
    `{[1]: 2}`,
    `{'__proto__': 1}`,
    `[1 2]`,
    `'a' 'b`,
    `lambda: 1`,
    `ping()`,
  ])('%s is no call', async value => {
    const text = `[save(any=${value})]`;
    const content = await read(families.llama, text);
    expect(content.map(part => ('text' in part ? part.text : part)).join('')).toBe(text);
  });

  it.each([
    '[look("Oslo")]',
    '[look(**{})]',
    '[look(place=)]',
    '[look(place="a" days=1)]',
    '[]',
    '[look(place="a", place="b")]',
    '[look(constructor="a")]',
  ])('%s is no call', async text => {
    expect(await read(families.llama, text)).toEqual([{ text }]);
  });

  it('reads quotation marks without a backslash if one end is possible', async () => {
    expect(await read(families.llama, `[look(place='the 'old' town')]`)).toEqual([look(`the 'old' town`)]);
    const unclear = `[save(body='the 'old' town', any='x')]`;
    expect(await read(families.llama, unclear)).toEqual([{ text: unclear }]);
  });

  it('streams strings as they arrive', async () => {
    const long = 'Oslo'.repeat(70);
    const chunks = [`[look(place='${long}`, 'Os', 'lo', `')]`];
    const parts = await streamChunks(chunks, { middleware: families.llama.middleware, tools });
    const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
    expect(deltas).toEqual([`{"place":"${long}`, 'Os', 'lo', '"}']);
  });
});

describe('Llama 4', () => {
  it.each<[string, ...ReadPart[]]>([
    [`[look(place='Oslo'), ping()]`, look('Oslo'), ping],
    [`\n [look(\n  place = 'Oslo',\n), ]<|eot|>`, look('Oslo')],
    [`<|python_start|>[ping()]<|python_end|>`, ping],
    [`So: <|python_start|>ping()<|python_end|> Done.`, { text: 'So: ' }, ping, { text: ' Done.' }],
    [`<|python_start|>{"name": "look", "parameters": {"place": "Oslo"}}<|python_end|>`, look('Oslo')],
    [`{"name": "look", "parameters": {"place": "Oslo"}}`, look('Oslo')],
    [`[shop.buy(item='x')]`, { call: 'shop.buy', input: { item: 'x' } }],
    [`[functions.ping(), PING()]`, ping, ping],
    [`[ping()] And more.`, ping, { text: ' And more.' }],
    [`[ping(), look(place='Os`, ping, { text: `look(place='Os` }],
  ])('%s', async (text, ...content) => {
    expect(await read(families.llama, text)).toEqual(content);
  });

  it.each([
    'See [ping()].',
    '[see (a=1)]',
    '[link](https://example.org)',
    '[nothing(a=1)]',
    '[ping() is a call]',
    '```python\n[ping()]\n```',
    '`[ping()]`',
    '[1, 2]',
    '[',
    '[ping',
    '[ping(',
  ])('%j stays text', async text => {
    const content = await read(families.llama, text);
    expect(content.map(part => ('text' in part ? part.text : part)).join('')).toBe(text);
  });
});

describe('LFM2', () => {
  const call = `<|tool_call_start|>[look(place='Oslo')]<|tool_call_end|>`;
  it.each<[string, ...ReadPart[]]>([
    [`So: ${call}\nDone.`, { text: 'So: ' }, look('Oslo'), { text: '\nDone.' }],
    [`${call}[look(place='Oslo')]<|tool_call_end|>Done.`, look('Oslo'), { text: 'Done.' }],
    [`${call}\n[look(place='Oslo')]<|tool_call_end|>[x]<|tool_call_end|>`, look('Oslo')],
    [`${call}[look(place='Oslo')]`, look('Oslo'), { text: `[look(place='Oslo')]` }],
    [`${call} or ${call}<|im_end|>`, look('Oslo'), { text: ' or ' }, look('Oslo')],
    [`${call}${call}`, look('Oslo'), look('Oslo')],
    [`<|tool_call_start|>ping()<|tool_call_end|>`, ping],
    [`<|tool_call_start|>[{"name": "ping", "arguments": {}}]<|tool_call_end|>`, ping],
    [`<|tool_call_start|>{"name": "look", "parameters": {"place": "Oslo"}}<|tool_call_end|>`, look('Oslo')],
    [`[look(place='Oslo')]`, look('Oslo')],
    [`<think>Well, ${call}</think>${call}`, { reasoning: `Well, ${call}` }, look('Oslo')],
    [`<|tool_call_start|>[look(place='Oslo')`, look('Oslo')],
    [`<|tool_call_start|>[look(place='Os`, { text: `<|tool_call_start|>[look(place='Os` }],
  ])('%s', async (text, ...content) => {
    expect(await read(families.lfm2, text)).toEqual(content);
  });
});

describe('OLMo 3', () => {
  it.each<[string, ...ReadPart[]]>([
    [`<function_calls>\nlook(place="Oslo")\nping()\n</function_calls>`, look('Oslo'), ping],
    [`<function_calls>look(place='a\nb')</function_calls>`, look('a\nb')],
    [`<function_calls>ping()`, ping],
    [`<function_calls>ping()\n\nThat is all.`, ping, { text: '\n\nThat is all.' }],
    ['The tag <function_calls> lists (all) calls.', { text: 'The tag <function_calls> lists (all) calls.' }],
    [`<function_calls><invoke name="ping">`, { text: `<function_calls><invoke name="ping">` }],
  ])('%s', async (text, ...content) => {
    expect(await read(families.olmo3, text)).toEqual(content);
  });

  it('starts in reasoning for the Think models', () => {
    expect(modelAdapters.findFor('allenai/Olmo-3-7B-Think')).toEqual([families.olmo3]);
  });
});

describe('Gemma 3', () => {
  it.each<[string, ...ReadPart[]]>([
    ["```tool_code\nlook(place='Oslo')\nping()\n```", look('Oslo'), ping],
    ['\n```tool_code\n[ping()]\n```\n<end_of_turn>', ping],
    [`[look(place='Oslo')]<end_of_turn>`, look('Oslo')],
    [`{"name": "look", "parameters": {"place": "Oslo"}}`, look('Oslo')],
    [`[TOOL_REQUEST]{"name": "ping", "arguments": {}}[END_TOOL_REQUEST]`, ping],
  ])('%s', async (text, ...content) => {
    expect(await read(families.gemma, text)).toEqual(content);
  });

  it.each([
    '```tool_code\nping()\n```\nThis calls it.',
    'Like this:\n```tool_code\nping()\n```',
    '```tool_code\nprint(1)\n```',
    '```tool_code\nping()\nnothing()\n```',
    '```tool_code\nping()\nx = 1\n```',
    '```tool_code\nping()\n',
    '```python\nping()\n```',
    '```tool_code\n```\n[ping()]',
  ])('%j stays text', async text => {
    expect(await read(families.gemma, text)).toEqual([{ text }]);
  });
});
