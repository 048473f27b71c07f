import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import fc from '../../_property.js';
import { readText, streamChunks } from './_read-text.js';

const middleware = textToolsMiddleware({
  formats: [formats.hermes, formats.kimi, formats.mistral, formats.bareJson],
});
const tools = {
  look: {
    place: { type: 'string' },
    days: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { enum: ['fast', 'slow'] },
    note: {},
  },
};
const read = async (text: string) => (await readText(text, { middleware, tools })).content;
const hermes = (body: string) => `<tool_call>${body}</tool_call>`;
const look = (input: object) => ({ call: 'look', input });

describe('a call with malformed JSON', () => {
  it.each<[string, string, object]>([
    ['line breaks', '{"name": "look", "arguments": {"place": "a\nb\tc"}}', { place: 'a\nb\tc' }],
    [
      'a trailing comma',
      '{"name": "look", "arguments": {"place": "a", "days": 3,},}',
      { place: 'a', days: 3 },
    ],
    ['single quotes', "{'name': 'look', 'arguments': {'place': 'it\\'s'}}", { place: "it's" }],
    ['Python constants', '{"name": "look", "arguments": {"note": None, "days": 3}}', { note: null, days: 3 }],
    [
      'numbers of Python',
      '{"name": "look", "arguments": {"place": +49170, "days": +3}}',
      { place: '+49170', days: 3 },
    ],
    ['keys without quotes', '{name: "look", arguments: {place: "a"}}', { place: 'a' }],
    ['a comment', '{"name": "look", "arguments": {"days": 3 // three\n}}', { days: 3 }],
    ['a path', '{"name": "look", "arguments": {"place": "C:\\dir\\new"}}', { place: 'C:\\dir\\new' }],
    [
      'a path after a valid escape',
      '{"name": "look", "arguments": {"place": "C:\\new\\dir"}}',
      { place: 'C:\\new\\dir' },
    ],
    [
      'a path in a command',
      '{"name": "look", "arguments": {"place": "cd C:\\new\\dir; ls"}}',
      { place: 'cd C:\\new\\dir; ls' },
    ],
    ['a pattern', '{"name": "look", "arguments": {"place": "\\bfoo\\d"}}', { place: '\\bfoo\\d' }],
    [
      'unescaped quotes',
      '{"name": "look", "arguments": {"place": "a "b" c", "days": 3}}',
      { place: 'a "b" c', days: 3 },
    ],
    ['triple quotes', '{"name": "look", "arguments": {"place": """a\n"b"""}}', { place: 'a\n"b' }],
    ['a missing bracket', '{"name": "look", "arguments": {"place": "a"}', { place: 'a' }],
    ['two missing brackets', '{"name": "look", "arguments": {"days": 3', { days: 3 }],
    ['a semicolon', '{"name": "look", "arguments": {"place": "a"}};', { place: 'a' }],
    ['an empty object', '{"name": "look", "arguments": {}{"place": "a"}}', { place: 'a' }],
    [
      'malformed arguments in a string',
      '{"name": "look", "arguments": "{\'place\': \'a\'}"}',
      { place: 'a' },
    ],
    [
      'a call in a call',
      '{"name": "look", "arguments": {"name": "look", "arguments": {"place": "a"}}}',
      { place: 'a' },
    ],
  ])('is read with %s', async (_, body, input) => {
    expect(await read(hermes(body))).toEqual([look(input)]);
  });

  it.each<[string, string, object]>([
    [
      'Kimi',
      "<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{'place': 'a'}<|tool_call_end|>",
      { place: 'a' },
    ],
    ['Mistral', "[TOOL_CALLS]look[ARGS]{'place': 'a'}", { place: 'a' }],
    ['bare JSON', '{"name": "look", "parameters": {"place": "a\nb",}}', { place: 'a\nb' }],
  ])('is read in the format of %s', async (_, text, input) => {
    expect(await read(text)).toEqual([look(input)]);
  });

  it('is read in a list, after a valid call', async () => {
    const body = `[{"name": "look", "arguments": {"days": 1}}, {"name": "look", "arguments": {'days': 2}}]`;
    expect(await read(hermes(body))).toEqual([look({ days: 1 }), look({ days: 2 })]);
  });

  it('does not hide a later call if it cannot be read', async () => {
    const broken = hermes('{"name": "look", "arguments": {"place": (}}');
    expect(await read(`${broken}\n${hermes('{"name": "look", "arguments": {}}')}`)).toEqual([
      { text: `${broken}\n` },
      look({}),
    ]);
  });

  it.each([
    hermes("{'name': 'look', 'arguments': {'place': oops('a')}}"),
    "<tool_call>{'name': 'look', 'arguments': {'place': \"a",
    hermes('{"name": "look", "arguments": {"__proto__": {},}}'),
  ])('starts no input if it cannot be read: %s', async text => {
    const parts = await streamChunks(text.split(''), { middleware, tools });
    expect(parts.filter(({ type }) => type.startsWith('tool-'))).toEqual([]);
  });
});

describe('a value that the schema does not allow', () => {
  it.each([
    ['"days": "3"', { days: 3 }],
    ['"place": 3', { place: '3' }],
    ['"tags": "a"', { tags: ['a'] }],
    ['"mode": "Fast"', { mode: 'fast' }],
    ['"place": "3"', { place: '3' }],
  ])('is converted: %s', async (argument, input) => {
    expect(await read(hermes(`{"name": "look", "arguments": {${argument}}}`))).toEqual([look(input)]);
  });
});

it('streams strings as they arrive, and stops at the first mistake', async () => {
  const long = 'ab'.repeat(140);
  const chunks = [
    `<tool_call>{"name": "look", "arguments": {"place": "${long}`,
    'cd',
    'e\n',
    'f',
    '"}}</tool_call>',
  ];
  const parts = await streamChunks(chunks, { middleware, tools });
  const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
  expect(deltas).toEqual([`{"place": "${long}`, 'cd', 'e', '\\nf"}']);
});

it('contains no part of a value, wherever a malformed call is cut', async () => {
  const texts = [
    "{'name': 'look', 'arguments': {'place': 'abc', 'days': 123}}",
    '{"name": "look", "arguments": {"place": "a\nb", "days": 123, }}',
    '{name: "look", arguments: {place: "a "b" c", days: 123}}',
    '{"name": "look", "arguments": {"place": "C:\\new\\dir", "days": 123}}',
  ];
  const bodies = await Promise.all(
    texts.map(async whole => ({ whole, complete: (await read(hermes(whole)))[0] })),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...bodies), fc.nat(), fc.boolean(), async (body, at, isClosed) => {
      const { whole, complete } = body;
      const cut = whole.slice(0, at % whole.length);
      const content = await read(`<tool_call>${cut}${isClosed ? '' : ' '}`);
      const calls = content.filter(one => 'call' in one);
      for (const call of calls) expect(call).toEqual(complete);
    }),
    { numRuns: 150 },
  );
});
