import type {
  LanguageModelV2FinishReason,
  LanguageModelV2FunctionTool,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { hermesFormat, qwenXmlFormat } from '../../src/adapters/index.js';
import { wrapModel } from '../../src/adapters/middleware.js';
import { thinkTags } from '../../src/text-tools/reasoning.js';
import { textToolsMiddleware } from '../../src/text-tools/text-tools-middleware.js';
import { checkParts } from '../_parts.js';
import {
  call,
  finish,
  generate,
  ofType,
  scriptedModel,
  start,
  stream,
  text,
  typesOf,
} from '../tool-loop/_scripted-model.js';
import { say } from './_read-text.js';

type Part = LanguageModelV2StreamPart;

const options = { formats: [hermesFormat, qwenXmlFormat], reasoning: [thinkTags] };
const middleware = textToolsMiddleware(options);
const tools = { look: { place: { type: 'string' } } };
const declared: LanguageModelV2FunctionTool[] = [
  {
    type: 'function',
    name: 'look',
    inputSchema: { type: 'object', properties: { place: { type: 'string' } } },
  },
];
const written = '<tool_call>{"name": "look", "arguments": {"place": "Oslo"}}</tool_call>';
const cut = '<tool_call>{"name": "look", "arguments": {"place": "Os';
const found = { call: 'look', input: { place: 'Oslo' } };

const adapt = (...answer: Part[]) => wrapModel(scriptedModel(answer, answer), [middleware]);

describe('the finish reason', () => {
  it.each([
    ['stop', 'tool-calls'],
    ['unknown', 'tool-calls'],
    ['other', 'tool-calls'],
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['error', 'error'],
  ] as const)('%s is %s where a call was found', async (finishReason, expected) => {
    expect(await say(written, { middleware, tools, finishReason })).toEqual({
      said: [found],
      finishReason: expected,
    });
  });

  it('stays where none was found', async () => {
    expect((await say(cut, { middleware, tools })).finishReason).toBe('stop');
  });

  it('of a later version of models is told in its form', async () => {
    const reason = { unified: 'stop', raw: 'STOP' } as unknown as LanguageModelV2FinishReason;
    const model = adapt(start, ...text(written), finish(reason));
    const expected = { unified: 'tool-calls', raw: 'STOP' };
    expect(ofType(await stream(model, { tools: declared }), 'finish')[0]?.finishReason).toEqual(expected);
    expect((await generate(model, { tools: declared })).finishReason).toEqual(expected);
  });
});

describe('nothing is called', () => {
  it.each([
    ['without tools', { tools: {} }],
    ['where calls are forbidden', { tools, toolChoice: { type: 'none' as const } }],
  ])('%s, and thoughts are found all the same', async (_, request) => {
    expect(await say(`<think>Hm.</think>${written}`, { middleware, ...request })).toEqual({
      said: [{ reasoning: 'Hm.' }, { text: written }],
      finishReason: 'stop',
    });
  });
});

describe('a call that was cut', () => {
  it('ends its input, is no call, and its text is kept', async () => {
    const parts = await stream(adapt(start, ...text(`So. ${cut}`), finish('length')), { tools: declared });
    checkParts(parts);
    expect(typesOf(parts)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
    expect(ofType(parts, 'text-delta').map(({ delta }) => delta)).toEqual(['So. ', cut]);
  });

  it('does not reach across a native call', async () => {
    const half = written.slice(0, 40);
    const answer = [
      { type: 'text-start', id: 't' } as const,
      { type: 'text-delta', id: 't', delta: half } as const,
      ...call('c1', 'look', { place: 'Rome' }),
      { type: 'text-delta', id: 't', delta: written.slice(40) } as const,
      { type: 'text-end', id: 't' } as const,
    ];
    const parts = await stream(adapt(start, ...answer, finish('tool-calls')), { tools: declared });
    checkParts(parts);
    expect(ofType(parts, 'tool-call').map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
    expect(ofType(parts, 'text-delta').map(({ delta }) => delta)).toEqual([half, written.slice(40)]);
  });

  it('is told before the stream breaks off', async () => {
    const parts = await stream(adapt(start, ...text(cut).slice(0, 2)), { tools: declared });
    expect(ofType(parts, 'text-delta').map(({ delta }) => delta)).toEqual([cut]);
    expect(parts.at(-1)?.type).toBe('text-end');
  });
});

describe('what the model gives itself', () => {
  it('stays as it is, beside the calls in its text', async () => {
    const native = call('c1', 'look', { place: 'Rome' });
    const model = adapt(start, ...text(`A ${written} b`), ...native, finish('tool-calls'));
    const parts = await stream(model, { tools: declared });
    checkParts(parts);
    expect(ofType(parts, 'tool-call').map(({ input }) => JSON.parse(input))).toEqual([
      { place: 'Oslo' },
      { place: 'Rome' },
    ]);
    expect(parts).toEqual(expect.arrayContaining(native));
    const { content } = await generate(model, { tools: declared });
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool-call', 'text', 'tool-call']);
  });

  it('keeps its ids: a call in the text gets another one', async () => {
    const answer = [
      start,
      ...call('c1', 'look', { place: 'Rome' }),
      ...text('<tool_call>{"id": "c1", "name": "look", "arguments": {}}</tool_call>'),
      ...text('<tool_call>{"id": "c2", "name": "look", "arguments": {}}</tool_call>', '1'),
      finish(),
    ];
    const ids = ofType(await stream(adapt(...answer), { tools: declared }), 'tool-call').map(
      part => part.toolCallId,
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(['c1', expect.any(String), 'c2']);
  });

  it('keeps its metadata at the first and last block of a text', async () => {
    const some = (value: string) => ({ providerMetadata: { some: { value } } });
    const model = adapt(
      start,
      { type: 'text-start', id: 't', ...some('start') },
      { type: 'text-delta', id: 't', delta: `a${written}b` },
      { type: 'text-end', id: 't', ...some('end') },
      finish(),
    );
    const parts = await stream(model, { tools: declared });
    expect(ofType(parts, 'text-start')).toEqual([
      { type: 'text-start', id: 't', ...some('start') },
      { type: 'text-start', id: 't-2' },
    ]);
    expect(ofType(parts, 'text-end')).toEqual([
      { type: 'text-end', id: 't' },
      { type: 'text-end', id: 't-2', ...some('end') },
    ]);
  });

  it('may be half a character, which is kept', async () => {
    expect((await say('\ud83d', { middleware, tools })).said).toEqual([{ text: '\ud83d' }]);
  });

  it('may be raw chunks between the pieces of a call', async () => {
    const raw = { type: 'raw', rawValue: {} } as const;
    const pieces = written.split('').flatMap(delta => [raw, { type: 'text-delta', id: 't', delta } as const]);
    const parts = await stream(
      adapt(start, { type: 'text-start', id: 't' }, ...pieces, { type: 'text-end', id: 't' }, finish()),
      { tools: declared },
    );
    expect(ofType(parts, 'tool-call')).toHaveLength(1);
  });
});

describe('white space around calls', () => {
  it.each([
    [`a\n\n${written}\n\nb`, [{ text: 'a\n\n' }, found, { text: '\n\nb' }]],
    [`\n\n${written}\n${written}\n`, [found, found]],
    [`<think>\n\n</think>\n\n${written}`, [found]],
    ['<think>\n\n</think>\n\nHi', [{ text: '\n\nHi' }]],
    ['\n \n', [{ text: '\n \n' }]],
  ])('%j makes no block of its own', async (given, said) => {
    expect((await say(given, { middleware, tools })).said).toEqual(said);
  });
});

describe('an answer that begins within its thoughts', () => {
  const thinking = textToolsMiddleware({ ...options, startsInReasoning: true });
  const hear = (given: string, finishReason: LanguageModelV2FinishReason = 'stop') =>
    say(given, { middleware: thinking, tools, finishReason }).then(({ said }) => said);

  it('leaves them where the closing tag says so', async () => {
    expect(await hear(`Hm. ${written}</think>\n\nSo.${written}`)).toEqual([
      { reasoning: `Hm. ${written}` },
      { text: '\n\nSo.' },
      found,
    ]);
  });

  it('may open them itself', async () => {
    expect(await hear('\n<think>Hm.</think>So.')).toEqual([{ reasoning: 'Hm.' }, { text: 'So.' }]);
  });

  it('was an answer if it never leaves them', async () => {
    expect(await hear(`So. ${written}`)).toEqual([{ reasoning: `So. ${written}` }, { text: 'So. ' }, found]);
  });

  it('was cut within them if it was cut', async () => {
    expect(await hear('Hm.', 'length')).toEqual([{ reasoning: 'Hm.' }]);
  });

  it('has left them where the server sets them apart', async () => {
    const answer: Part[] = [
      start,
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r' },
      ...text('So.'),
      finish(),
    ];
    const { content } = await generate(wrapModel(scriptedModel(answer), [thinking]));
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'So.' },
    ]);
  });
});

it('leaves thoughts in the text where the server sets its own apart, and calls nothing within them', async () => {
  const given = `<think>\n${written} </think>\n${written}`;
  const answer = (...pieces: string[]): Part[] => [
    start,
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    ...pieces.map((delta): Part => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    finish(),
  ];
  const model = wrapModel(scriptedModel(answer(given), answer(...given)), [middleware]);
  const { content } = await generate(model, { tools: declared });
  expect(content).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: `<think>\n${written} </think>\n` },
    { type: 'tool-call', toolName: 'look' },
  ]);
  const parts = await stream(model, { tools: declared });
  expect(
    ofType(parts, 'text-delta')
      .map(({ delta }) => delta)
      .join(''),
  ).toBe(`<think>\n${written} </think>\n`);
  expect(ofType(parts, 'tool-call')).toHaveLength(1);
});
