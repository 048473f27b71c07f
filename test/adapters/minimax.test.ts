import { describe, expect, it } from 'vitest';
import { minimax } from '../../src/adapters/families/index.js';
import { type ReadPart, streamChunks } from './text-tools/_read-text.js';
import { readAs, toText } from './_read-as.js';

const tools = {
  save: { path: { type: 'string' }, body: { type: 'string' }, mode: { type: 'integer' } },
  plan: {
    note: { type: ['string', 'null'] },
    place: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'integer' } } },
    tags: { type: 'array', items: { type: 'string' } },
    steps: { type: 'array', items: { type: 'object', properties: { day: { type: 'integer' } } } },
    filter: { anyOf: [{ type: 'string' }, { type: 'object', properties: { op: { type: 'string' } } }] },
    extra: { type: 'object', additionalProperties: { type: 'number' } },
  },
  ping: {},
};
const callOf = (call: string, input: object = {}): ReadPart => ({ call, input });

const NS = ']<]minimax[>[';
const element = (key: string, content: string) => `${NS}<${key}>${content}${NS}</${key}>`;
const invoke = (name: string, ...members: string[]) =>
  `${NS}<invoke name="${name}">${members.join('')}${NS}</invoke>\n`;
const block = (...calls: string[]) => `${NS}<tool_call>\n${calls.join('')}${NS}</tool_call>`;

describe('MiniMax M3', () => {
  const read = readAs('MiniMaxAI/MiniMax-M3', tools);

  it.each<[string, ...ReadPart[]]>([
    [
      `Saving.${block(invoke('save', element('path', 'a.txt'), element('mode', '7')))}[e~[`,
      { text: 'Saving.' },
      callOf('save', { path: 'a.txt', mode: 7 }),
    ],
    [block(invoke('ping'), invoke('ping')), callOf('ping'), callOf('ping')],
    [`${NS}\n<tool_call>\n${NS}\n<invoke name="ping">${NS}\n</invoke>${NS}\n</tool_call>`, callOf('ping')],
    [`${NS}<tool_call>${NS}<invoke name="ping"/>${NS}</tool_call>`, callOf('ping')],
    // The end of the list is enough.
    [`${NS}<invoke name="save">${element('path', 'a')}${NS}</tool_call>`, callOf('save', { path: 'a' })],
    // Values are raw.
    [
      block(invoke('save', element('body', '\n <b>&amp;</b> "\\" </body>\n'))),
      callOf('save', { body: '\n <b>&amp;</b> "\\" </body>\n' }),
    ],
    [
      block(invoke('plan', element('place', element('city', 'Oslo') + element('zip', '150')))),
      callOf('plan', { place: { city: 'Oslo', zip: 150 } }),
    ],
    [
      block(invoke('plan', element('tags', element('item', 'a') + element('item', '1')))),
      callOf('plan', { tags: ['a', '1'] }),
    ],
    [
      block(
        invoke(
          'plan',
          element('steps', element('item', element('day', '1')) + element('item', '{"day": 2}')),
        ),
      ),
      callOf('plan', { steps: [{ day: 1 }, { day: 2 }] }),
    ],
    [
      block(invoke('plan', element('tags', '["a"]'), element('place', ''))),
      callOf('plan', { tags: ['a'], place: {} }),
    ],
    [block(invoke('plan', element('tags', 'a'), element('tags', 'b'))), callOf('plan', { tags: ['a', 'b'] })],
    [block(invoke('plan', element('filter', 'x'))), callOf('plan', { filter: 'x' })],
    [block(invoke('plan', element('filter', element('op', '=')))), callOf('plan', { filter: { op: '=' } })],
    [block(invoke('plan', element('extra', element('b', '2')))), callOf('plan', { extra: { b: 2 } })],
    [block(invoke('plan', element('note', 'null'))), callOf('plan', { note: null })],
    [block(invoke('plan', element('note', ''))), callOf('plan', { note: null })],
    [block(invoke('plan', element('note', 'none'))), callOf('plan', { note: 'none' })],
    [block(invoke('save', element('body', 'null'))), callOf('save', { body: 'null' })],
    [`<mm:think>Hm.</mm:think>${block(invoke('ping'))}`, { reasoning: 'Hm.' }, callOf('ping')],
    [`</mm:think>Done.`, { text: 'Done.' }],
    // A server that drops special tokens.
    [
      '<tool_call>\n<invoke name="save"><path>a</path><body>1 < 2 </body>x</body></invoke>\n</tool_call>',
      callOf('save', { path: 'a', body: '1 < 2 </body>x' }),
    ],
    // A server that reads the calls.
    [`Done.${NS}</tool_call>`, { text: 'Done.' }],
    [`Done.${NS}`, { text: 'Done.' }],
  ])('%s', async (text, ...content) => expect(await read(text)).toEqual(content));

  it.each([
    // A missing or wrong closing tag.
    `${NS}<tool_call>${NS}<invoke name="save">${NS}<path>a`,
    `${block(`${NS}<invoke name="save">${NS}<path>a${NS}</body>${NS}</invoke>`)} after`,
    block(invoke('plan', element('place', `x${element('city', 'a')}`))),
    block(invoke('plan', element('__proto__', 'a'))),
    // Repeated strings.
    block(invoke('save', element('path', 'a'), element('path', 'b'))),
    '<tool_call>\n<invoke name="save"><unknown>a</unknown></invoke>\n</tool_call>',
    `A \`${NS}<tool_call>\` starts calls.`,
    `\`\`\`\n${block(invoke('ping'))}\n\`\`\``,
  ])('%j stays text', async text => expect(toText(await read(text))).toBe(text));

  it('streams a string before its end', async () => {
    const long = 'Hello'.repeat(60);
    const chunks = [
      `${NS}<tool_call>${NS}<invoke name="save">${NS}<body>${long}`,
      ' wor',
      'ld',
      `${NS}</body>`,
      `${NS}</invoke>`,
    ];
    const parts = await streamChunks(chunks, { middleware: minimax.middleware, tools });
    const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
    expect(deltas.slice(0, 3)).toEqual([`{"body":"${long}`, ' wor', 'ld']);
  });
});

describe('MiniMax M2', () => {
  const read = readAs('MiniMaxAI/MiniMax-M2', tools);
  const call = (value: string) =>
    `Hm.</think><minimax:tool_call><invoke name="save"><parameter name="body">${value}</parameter></invoke></minimax:tool_call>`;

  it.each([
    ['a\nb\n', 'a\nb\n'],
    ['\n  a', '\n  a'],
    ['\na\n', 'a'],
    ['\r\na\r\n', 'a'],
    ['\n', '\n'],
    ['', ''],
  ])('removes a line break only on both sides of %j', async (value, body) => {
    expect(await read(call(value))).toEqual([{ reasoning: 'Hm.' }, callOf('save', { body })]);
  });

  it.each([
    '<invoke name="ping"/>',
    '<invoke name="ping" />',
    "<invoke name='ping'></invoke>",
    '<invoke name=ping></invoke>',
    '<invoke name=ping/>',
  ])('reads %s', async invoke => {
    const text = `Hm.</think><minimax:tool_call>${invoke}\n${invoke}</minimax:tool_call>`;
    expect(await read(text)).toEqual([{ reasoning: 'Hm.' }, callOf('ping'), callOf('ping')]);
  });

  it('accepts parameters with other quotes', async () => {
    const text = `Hm.</think><invoke name="save"><parameter name='path'>a</parameter><parameter name=mode>1</parameter></invoke>`;
    expect(await read(text)).toEqual([{ reasoning: 'Hm.' }, callOf('save', { path: 'a', mode: 1 })]);
  });
});
