import type {
  LanguageModelV2FinishReason,
  LanguageModelV2FunctionTool,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { adapterOf } from '../../../src/adapters/kit/middleware.js';
import { contentToParts } from '../../../src/core/collector.js';
import type { Part as CorePart } from '../../../src/core/part.js';
import { partsOf, sourceOf } from '../../../src/core/source.js';
import { NO_USAGE } from '../../../src/core/finish.js';
import { thinkTags } from '../../../src/adapters/text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import { coreCall, wrapModel } from '../../_core.js';
import { checkParts } from '../../_parts.js';
import {
  call,
  finish,
  generate,
  ofType,
  scriptedModel,
  start,
  stream,
  text,
} from '../../tool-loop/_scripted-model.js';
import { readText } from './_read-text.js';

type Part = LanguageModelV2StreamPart;

const options = { formats: [formats.hermes, formats.qwenXml], reasoning: [thinkTags] };
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
const truncated = '<tool_call>{"name": "look", "arguments": {"place": "Os';
const found = { call: 'look', input: { place: 'Oslo' } };

const adapt = (...response: Part[]) => wrapModel(scriptedModel(response, response), [middleware]);

describe('the finish reason', () => {
  it.each([
    ['stop', 'tool-calls'],
    ['unknown', 'tool-calls'],
    ['other', 'tool-calls'],
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['error', 'error'],
  ] as const)('%s becomes %s if a call was found', async (finishReason, expected) => {
    expect(await readText(written, { middleware, tools, finishReason })).toEqual({
      content: [found],
      finishReason: expected,
    });
  });

  it('is unchanged if no call was found', async () => {
    expect((await readText(truncated, { middleware, tools })).finishReason).toBe('stop');
  });

  it('keeps the reason of the server', async () => {
    const finished = {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'STOP' },
      usage: NO_USAGE,
    } as const;
    const model = adapterOf(middleware).wrap(
      {
        provider: 'scripted',
        modelId: 'scripted-1',
        supportedUrls: {},
        open: async () => sourceOf([...contentToParts([{ type: 'text', text: written }]), finished]),
      },
      { version: 'v2' },
    );
    for (const isStream of [true, false]) {
      const parts: CorePart[] = [];
      for await (const part of partsOf(await model.open(coreCall({ isStream, tools: declared }))))
        parts.push(part);
      expect(parts.at(-1)).toEqual({ ...finished, finishReason: { unified: 'tool-calls', raw: 'STOP' } });
    }
  });
});

it('makes no call without tools, while reasoning is still found', async () => {
  expect(await readText(`<think>Hm.</think>${written}`, { middleware, tools: {} })).toEqual({
    content: [{ reasoning: 'Hm.' }, { text: written }],
    finishReason: 'stop',
  });
});

describe('a truncated call', () => {
  it('does not span a native call', async () => {
    const half = written.slice(0, 40);
    const response = [
      { type: 'text-start', id: 't' } as const,
      { type: 'text-delta', id: 't', delta: half } as const,
      ...call('c1', 'look', { place: 'Rome' }),
      { type: 'text-delta', id: 't', delta: written.slice(40) } as const,
      { type: 'text-end', id: 't' } as const,
    ];
    const parts = await stream(adapt(start, ...response, finish('tool-calls')), { tools: declared });
    checkParts(parts);
    expect(ofType(parts, 'tool-call').map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
    expect(ofType(parts, 'text-delta').map(({ delta }) => delta)).toEqual([half, written.slice(40)]);
  });

  it('is emitted as text if the stream ends early', async () => {
    const parts = await stream(adapt(start, ...text(truncated).slice(0, 2)), { tools: declared });
    expect(ofType(parts, 'text-delta').map(({ delta }) => delta)).toEqual([truncated]);
    expect(parts.at(-1)?.type).toBe('text-end');
  });
});

describe('native content of the model', () => {
  it('is unchanged next to calls in the text', async () => {
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

  it('keeps its ids, and a call in the text gets another one', async () => {
    const response = [
      start,
      ...call('c1', 'look', { place: 'Rome' }),
      ...text('<tool_call>{"id": "c1", "name": "look", "arguments": {}}</tool_call>'),
      ...text('<tool_call>{"id": "c2", "name": "look", "arguments": {}}</tool_call>', '1'),
      finish(),
    ];
    const ids = ofType(await stream(adapt(...response), { tools: declared }), 'tool-call').map(
      part => part.toolCallId,
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(['c1', expect.any(String), 'c2']);
  });

  it('keeps the metadata on the first and last block of a text', async () => {
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

  it('may be an unpaired surrogate, which is kept', async () => {
    expect((await readText('\ud83d', { middleware, tools })).content).toEqual([{ text: '\ud83d' }]);
  });

  it('may be raw chunks between the deltas of a call', async () => {
    const raw = { type: 'raw', rawValue: {} } as const;
    const chunks = written.split('').flatMap(delta => [raw, { type: 'text-delta', id: 't', delta } as const]);
    const parts = await stream(
      adapt(start, { type: 'text-start', id: 't' }, ...chunks, { type: 'text-end', id: 't' }, finish()),
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
    ['<think>\n\n</think>\n\nHi', [{ text: 'Hi' }]],
    ['<think>\nHm.\n\nSo.\n</think>\n\n  1\n\n2\n', [{ reasoning: 'Hm.\n\nSo.' }, { text: '  1\n\n2\n' }]],
    ['<think>\nHm.\n</think>\n\n', [{ reasoning: 'Hm.' }]],
    ['<think>\nHm.\n', [{ reasoning: 'Hm.' }]],
    ['\n \n', [{ text: '\n \n' }]],
  ])('%j creates no separate block', async (given, content) => {
    expect((await readText(given, { middleware, tools })).content).toEqual(content);
  });
});

describe('a response that starts in reasoning', () => {
  const reasoningFirst = textToolsMiddleware({ ...options, startsInReasoning: true });
  const read = (given: string, finishReason: LanguageModelV2FinishReason = 'stop') =>
    readText(given, { middleware: reasoningFirst, tools, finishReason }).then(({ content }) => content);

  it('leaves it at the closing tag', async () => {
    expect(await read(`Hm. ${written}</think>\n\nSo.${written}`)).toEqual([
      { reasoning: `Hm. ${written}` },
      { text: 'So.' },
      found,
    ]);
  });

  it('may open it again', async () => {
    expect(await read('\n<think>Hm.</think>So.')).toEqual([{ reasoning: 'Hm.' }, { text: 'So.' }]);
  });

  it('is emitted as text if the reasoning is never closed', async () => {
    expect(await read(`So. ${written}`)).toEqual([{ reasoning: 'So.' }, { text: 'So. ' }, found]);
  });

  it('stays reasoning if it was truncated', async () => {
    expect(await read('Hm.', 'length')).toEqual([{ reasoning: 'Hm.' }]);
  });

  it('is text if the server separates reasoning', async () => {
    const response: Part[] = [
      start,
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r' },
      ...text('So.'),
      finish(),
    ];
    const { content } = await generate(wrapModel(scriptedModel(response), [reasoningFirst]));
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'So.' },
    ]);
  });
});

it('leaves tagged reasoning in the text if the server separates reasoning, and finds no calls in it', async () => {
  const given = `<think>\n${written} </think>\n${written}`;
  const toResponse = (...chunks: string[]): Part[] => [
    start,
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    ...chunks.map((delta): Part => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    finish(),
  ];
  const model = wrapModel(scriptedModel(toResponse(given), toResponse(...given)), [middleware]);
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

it.each(['', '<parameter=days>\n3\n</parameter>\n'])(
  'a call in XML without its end is text: %j',
  async more => {
    const begun = `<tool_call>\n<function=look>\n<parameter=place>\nOslo\n</parameter>\n${more}`;
    const parts = await stream(adapt(start, ...text(begun), finish('length')), { tools: declared });
    expect(ofType(parts, 'tool-call')).toEqual([]);
    expect(ofType(parts, 'finish')[0]?.finishReason).toBe('length');
  },
);
