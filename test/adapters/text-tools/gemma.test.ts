import { describe, expect, it } from 'vitest';
import { families, type ModelAdapter } from '../../../src/adapters/index.js';
import { type ReadPart, readText, streamChunks } from './_read-text.js';

const tools = {
  look: { place: { type: 'string' }, days: { type: 'integer' } },
  save: { any: {} },
  'book-room': { nights: { type: 'integer' } },
  ping: {},
};

const read = async ({ middleware }: ModelAdapter, text: string): Promise<ReadPart[]> =>
  (await readText(text, { middleware, tools })).content;

const save = (any: unknown): ReadPart => ({ call: 'save', input: { any } });
const look = (place: string, days?: number): ReadPart => ({
  call: 'look',
  input: { place, ...(days !== undefined && { days }) },
});
const ping: ReadPart = { call: 'ping', input: {} };
const q = '<|"|>';

describe('values', () => {
  it.each<[string, unknown]>([
    [`${q}sea, deep}${q}`, 'sea, deep}'],
    [`${q}a "b" \\n <|x|>\n<${q}`, 'a "b" \\n <|x|>\n<'],
    [`${q}${q}`, ''],
    [`-7`, -7],
    [`1.5e10`, 1.5e10],
    [`true`, true],
    [`None`, null],
    [`{}`, {}],
    [`[]`, []],
    [`[1, 2, {inner:${q}]${q}}]`, [1, 2, { inner: ']' }]],
    [`{a:{b:[${q}x${q}]},${q}c d${q}:1}`, { a: { b: ['x'] }, 'c d': 1 }],
    [`'single, "quoted"'`, 'single, "quoted"'],
    [`"double"`, 'double'],
    [`celsius`, 'celsius'],
    [`00ff11`, '00ff11'],
  ])('%s', async (text, value) => {
    expect(await read(families.gemma4, `<|tool_call>call:save{any:${text}}<tool_call|>`)).toEqual([
      save(value),
    ]);
  });

  it('keeps bare text with commas for a parameter that is a string', async () => {
    const text = '<|tool_call>call:look{place:Oslo, Norway,days:3}<tool_call|>';
    expect(await read(families.gemma4, text)).toEqual([look('Oslo, Norway', 3)]);
    expect(await read(families.gemma4, '<|tool_call>call:look{place:12}<tool_call|>')).toEqual([look('12')]);
  });

  it.each<[string, string]>([
    [`place:${q}Oslo}<tool_call|>`, 'Oslo'],
    [`days:3,place:${q}a, b} \n<tool_call|>\n`, 'a, b'],
    [`place:${q}f() { return {a} }}<tool_call|>`, 'f() { return {a} }'],
    [`place:${q}x}<tool_call|><|tool_call>call:ping{}<tool_call|>`, 'x'],
    [`place:${q}a }<tool_call|> b${q}}<tool_call|>`, 'a }<tool_call|> b'],
    [`place:${q}}<tool_call|>${q}}<tool_call|>`, '}<tool_call|>'],
  ])('ends the last string without its second delimiter: %j', async (text, place) => {
    const [call] = await read(families.gemma4, `<|tool_call>call:look{${text}`);
    expect(call).toMatchObject({ call: 'look', input: { place } });
  });

  it.each([
    // The bracket may belong to the value, whose own end is then missing as well.
    `place:${q}echo \${x}<tool_call|>`,
    `place:${q}{a}<tool_call|>`,
    // Another parameter may be in the value.
    `place:${q}Oslo,days:3}<tool_call|>`,
    `place:${q}Oslo, "days": 3}<tool_call|>`,
    `place:${q}Oslo,days:${q}3${q}}<tool_call|>`,
    // The value may go on.
    `place:${q}Oslo}<tool_call|> and more`,
    `place:${q}Oslo}`,
    `place:${q}Oslo<tool_call|>`,
    // The tag may be a wrong delimiter.
    `place:${q}Oslo</parameter>}<tool_call|>`,
  ])('runs no call with half of a string: %j', async text => {
    const content = await read(families.gemma4, `<|tool_call>call:look{${text}`);
    expect(content.some(part => 'input' in part && part.input !== undefined)).toBe(false);
  });

  it.each([`${q}x`, `{a:1`, `[1`, `x<tool_call|>`, `{__proto__:1}`, `1,any:2`, `'x`, ``])(
    '%j is no call',
    async value => {
      const text = `<|tool_call>call:save{any:${value}`;
      const content = await read(families.gemma4, text);
      expect(content.some(part => 'call' in part)).toBe(false);
    },
  );

  it('streams strings as they arrive', async () => {
    const long = 'Oslo'.repeat(70);
    const chunks = [`<|tool_call>call:look{place:<|"|>${long}`, 'Os', 'lo', '<|"|>}<tool_call|>'];
    const parts = await streamChunks(chunks, { middleware: families.gemma4.middleware, tools });
    const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
    expect(deltas).toEqual([`{"place":"${long}`, 'Os', 'lo', '"}']);
  });
});

describe('Gemma 4', () => {
  const call = `<|tool_call>call:look{place:${q}Oslo${q}}<tool_call|>`;
  it.each<[string, ...ReadPart[]]>([
    [`So: ${call} Done.<turn|>`, { text: 'So: ' }, look('Oslo'), { text: ' Done.' }],
    [`${call}${call}<tool_call|><|tool_response>`, look('Oslo'), look('Oslo')],
    [`<|tool_call>call:book-room{nights:2}<turn|>`, { call: 'book-room', input: { nights: 2 } }],
    [`<|tool_call>call:default_api.ping{}`, ping],
    [`<|channel>thought\nWell.\n<channel|>Hi.`, { reasoning: 'Well.' }, { text: 'Hi.' }],
    [`<|channel>thought\n<channel|>Hi.`, { text: 'Hi.' }],
    [`<|channel><|channel>thought\nA<channel|>Hi.`, { reasoning: 'A' }, { text: 'Hi.' }],
    [`thought\nWell.\n<channel|>Hi.`, { reasoning: 'Well.' }, { text: 'Hi.' }],
    [`Hi.<channel|>`, { text: 'Hi.' }],
    [`Hi.<|channel>thought\n<channel|>`, { text: 'Hi.' }],
    [`Hi.<|channel>thought\nMore.<channel|>`, { text: 'Hi.' }, { reasoning: 'More.' }],
    [`<|channel>thought\nA ${call} B<channel|>${call}`, { reasoning: `A ${call} B` }, look('Oslo')],
    ['call:look{place:Oslo, Norway,days:2}', look('Oslo, Norway', 2)],
    ['So:\ncall:ping{}\ncall:ping{}', { text: 'So:' }, ping, ping],
  ])('%s', async (text, ...content) => {
    expect(await read(families.gemma4, text)).toEqual(content);
  });

  it.each([
    'I call:ping{} now',
    'call:nothing{}',
    'thought\nis free',
    'call: me',
    '\ncall:later',
    '```\ncall:ping{}\n```',
    '`<|tool_call>call:ping{}<tool_call|>`',
    `<|tool_call>call:look{place:${q}Os`,
  ])('%j stays text', async text => {
    const content = await read(families.gemma4, text);
    expect(content.map(part => ('text' in part ? part.text : part)).join('')).toBe(text);
  });
});

describe('FunctionGemma', () => {
  const call = '<start_function_call>call:look{place:<escape>Oslo<escape>,days:3}<end_function_call>';
  it.each<[string, ...ReadPart[]]>([
    [`${call}${call}`, look('Oslo', 3), look('Oslo', 3)],
    [`<start_function_call>call:save{any:<escape>42<escape>}<end_function_call>`, save('42')],
    [`<start_function_call>call:save{any:[true, 4]}<end_function_call>`, save([true, 4])],
  ])('%s', async (text, ...content) => {
    expect(await read(families.functionGemma, text)).toEqual(content);
  });
});
