import { describe, expect, it } from 'vitest';
import { kimiK3 } from '../../src/adapters/families/index.js';
import { type ReadPart, streamChunks } from './text-tools/_read-text.js';
import { readAs, toText } from './_read-as.js';

const tools = {
  book: { hotel: { type: 'string' }, nights: { type: 'integer' }, options: { type: 'object' } },
  ping: {},
};
const read = readAs('moonshotai/Kimi-K3', tools);
const callOf = (call: string, input: object = {}): ReadPart => ({ call, input });

const section = (name: string, content: string) => `<|open|>${name}<|sep|>${content}<|close|>${name}<|sep|>`;
const argument = (key: string, type: string, value: string) =>
  `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`;
const call = (name: string, ...content: string[]) =>
  `<|open|>call tool="${name}" index="1"<|sep|>${content.join('')}<|close|>call<|sep|>`;
const calls = (...content: string[]) => section('tools', content.join(''));

describe('Kimi K3', () => {
  it.each<[string, ...ReadPart[]]>([
    [
      `Hm.<|close|>think<|sep|>${section('response', 'Hello.')}<|close|>message<|sep|><|end_of_msg|>`,
      { reasoning: 'Hm.' },
      { text: 'Hello.' },
    ],
    [
      `Hm.<|open|>response<|sep|>So: ${calls(call('ping'), call('ping'))}`,
      { reasoning: 'Hm.' },
      { text: 'So: ' },
      callOf('ping'),
      callOf('ping'),
    ],
    [
      calls(call('book', argument('nights', 'number', '2'), argument('options', 'object', '{"late": true}'))),
      callOf('book', { nights: 2, options: { late: true } }),
    ],
    // Strings are raw text.
    [
      calls(call('book', argument('hotel', 'string', '\n <b> "x" <|open|>\n'))),
      callOf('book', { hotel: '\n <b> "x" <|open|>\n' }),
    ],
    // The schema decides if the type does not fit.
    [calls(call('book', argument('nights', 'string', '2'))), callOf('book', { nights: 2 })],
    [calls(call('book', argument('hotel', 'number', '12'))), callOf('book', { hotel: '12' })],
    [calls(call('book', argument('hotel', 'null', 'null'))), callOf('book', { hotel: 'null' })],
    [
      calls(call('book', argument('a &quot;b&quot; &amp;quot;', 'string', '1'))),
      callOf('book', { 'a "b" &quot;': '1' }),
    ],
    [
      calls(call('book', '<|open|>json type="object"<|sep|>{"nights": 3}<|close|>json<|sep|>')),
      callOf('book', { nights: 3 }),
    ],
    // Servers that put spaces between special tokens.
    [
      '<|open|> tools <|sep|><|open|> call tool="book" index="1" <|sep|><|open|> argument key="nights" type="number" <|sep|>2<|close|> argument <|sep|><|close|> call <|sep|><|close|> tools <|sep|>',
      callOf('book', { nights: 2 }),
    ],
  ])('%s', async (text, ...content) => expect(await read(text)).toEqual(content));

  it.each([
    calls('<|open|>call tool="book" index="1"<|sep|><|open|>argument key="nights" type="number"<|sep|>2'),
    `<|open|>call tool="book" index="1"<|sep|>${argument('__proto__', 'object', '{}')}<|close|>call<|sep|>`,
    `<|open|>call tool="book" index="1"<|sep|>${argument('nights', 'number', '2').repeat(2)}<|close|>call<|sep|>`,
  ])('%j is no call', async text => {
    expect((await read(text)).filter(part => 'call' in part)).toEqual([]);
  });

  it('leaves quoted tokens in the text', async () => {
    const text = 'Write `<|open|>tools<|sep|>` first.';
    expect(toText(await read(`<|close|>think<|sep|>${text}`))).toBe(text);
  });

  it('streams a string before its end', async () => {
    const long = 'Zum'.repeat(90);
    const chunks = [
      '<|open|>tools<|sep|><|open|>call tool="book" index="1"<|sep|><|open|>argument key="hotel" type="string"<|sep|>' +
        long,
      ' An',
      'ker',
      '<|close|>argument<|sep|><|close|>call<|sep|>',
    ];
    const parts = await streamChunks(chunks, { middleware: kimiK3.middleware, tools });
    const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
    expect(deltas.slice(0, 3)).toEqual([`{"hotel":"${long}`, ' An', 'ker']);
  });
});
