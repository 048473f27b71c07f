import { expect, it } from 'vitest';
import { toToolOutput, unwrapResult } from '../../../src/tools/mcp/features/tool-output.js';

const image = { type: 'image', data: 'iVBORw==', mimeType: 'image/png' };

it('joins texts with a newline', () => {
  const content = [
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
  ];
  expect(toToolOutput({ content })).toEqual({ type: 'text', value: 'one\ntwo' });
});

it('keeps the order of texts and media', () => {
  const audio = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' };
  expect(toToolOutput({ content: [image, { type: 'text', text: 'a bell' }, audio] })).toEqual({
    type: 'content',
    value: [
      { type: 'file', data: { type: 'data', data: 'iVBORw==' }, mediaType: 'image/png' },
      { type: 'text', text: 'a bell' },
      { type: 'file', data: { type: 'data', data: 'UklGRg==' }, mediaType: 'audio/wav' },
    ],
  });
});

it.each([
  ['{"degrees":20,"unit":"C"}'],
  ['{"unit": "C", "degrees": 20.0}'],
  ['The weather:\n```json\n{\n  "unit": "C",\n  "degrees": 20\n}\n```'],
])('uses the text of a result that repeats the structured content: %j', text => {
  const structuredContent = { degrees: 20, unit: 'C' };
  expect(toToolOutput({ content: [{ type: 'text', text }], structuredContent })).toEqual({
    type: 'text',
    value: text,
    mcp: { structuredContent },
  });
});

it.each([
  [['20'], 20],
  [['mild'], 'mild'],
  [
    ['mild', '{"degrees":20}'],
    ['mild', { degrees: 20 }],
  ],
])('uses the texts %j that repeat the wrapped result %j', (texts, result) => {
  const content = texts.map(text => ({ type: 'text', text }));
  expect(toToolOutput({ content, structuredContent: { result } })).toMatchObject({
    type: 'text',
    value: texts.join('\n'),
  });
});

it.each(['It is mild.', '{"degrees":2}', '{ and [', '21'])(
  'adds structured content to the text %j, which does not contain it',
  text => {
    const structuredContent = { degrees: 20 };
    expect(toToolOutput({ content: [{ type: 'text', text }], structuredContent })).toEqual({
      type: 'text',
      value: `${text}\n{"degrees":20}`,
      mcp: { structuredContent },
    });
  },
);

it.each([null, false, 0, '', [], 'mild', 20, ['a', 1]])(
  'returns the structured content %j without text as JSON',
  structuredContent => {
    expect(toToolOutput({ content: [], structuredContent })).toEqual({
      type: 'json',
      value: structuredContent,
    });
  },
);

it.each([
  [['null'], null],
  [['2'], 2],
  [['mild'], 'mild'],
  [['"mild"'], 'mild'],
  [['[ 1,\n2 ]'], [1, 2]],
  [
    ['a', '1'],
    ['a', 1],
  ],
])('uses the texts %j that repeat the structured content %j', (texts, structuredContent) => {
  const content = texts.map(text => ({ type: 'text', text }));
  expect(toToolOutput({ content, structuredContent })).toMatchObject({
    type: 'text',
    value: texts.join('\n'),
    mcp: { structuredContent },
  });
});

it.each([
  ['21', 2],
  ['It is true.', true],
  ['none', null],
  ['mildly', 'mild'],
  ['1', ['1', '2']],
])('adds structured content that the text %j does not contain: %j', (text, structuredContent) => {
  expect(toToolOutput({ content: [{ type: 'text', text }], structuredContent })).toMatchObject({
    value: `${text}\n${JSON.stringify(structuredContent)}`,
  });
});

it('keeps `_meta` for the host', () => {
  const _meta = { 'example.com/trace': 'abc' };
  expect(toToolOutput({ content: [{ type: 'text', text: 'a' }], _meta })).toEqual({
    type: 'text',
    value: 'a',
    mcp: { _meta },
  });
});

it('returns structured content without text as JSON', () => {
  expect(toToolOutput({ content: [], structuredContent: { degrees: 20 } })).toEqual({
    type: 'json',
    value: { degrees: 20 },
  });
});

it('keeps structured content together with an image', () => {
  expect(toToolOutput({ content: [image], structuredContent: { degrees: 20 } })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: '{"degrees":20}' },
      { type: 'file', data: { type: 'data', data: 'iVBORw==' }, mediaType: 'image/png' },
    ],
    mcp: { structuredContent: { degrees: 20 } },
  });
});

it('returns the result of the oldest protocol revision as JSON', () => {
  expect(toToolOutput(unwrapResult({ toolResult: [1, 2] }))).toEqual({ type: 'json', value: [1, 2] });
});

it.each([
  [{ content: [{ type: 'text', text: 'No such zone.' }], isError: true }, 'error-text', 'No such zone.'],
  [{ message: 'No such zone.', isError: true }, 'error-text', '{"message":"No such zone.","isError":true}'],
  [{ content: [{ type: 'text', text: 'Done.' }] }, 'text', 'Done.'],
])('reads the result that the oldest protocol revision wraps: %j', (toolResult, type, value) => {
  expect(toToolOutput(unwrapResult({ toolResult }))).toEqual({ type, value });
});

it('converts resources and links to text', () => {
  const content = [
    { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'hello' } },
    {
      type: 'resource_link',
      uri: 'file:///b.txt',
      name: 'b',
      description: 'the other',
      mimeType: 'text/plain',
    },
  ];
  expect(toToolOutput({ content })).toEqual({
    type: 'text',
    value:
      'Resource file:///a.txt (text/plain):\nhello\n' +
      'Resource link: b <file:///b.txt> (text/plain) – the other',
    mcp: { content },
  });
});

it('returns a binary resource as media', () => {
  const content = [{ type: 'resource', resource: { uri: 'file:///a.gz', blob: 'H4sI' } }];
  expect(toToolOutput({ content })).toEqual({
    type: 'content',
    value: [
      {
        type: 'file',
        data: { type: 'data', data: 'H4sI' },
        mediaType: 'application/octet-stream',
        uri: 'file:///a.gz',
      },
    ],
  });
});

it('returns an unknown block as JSON without its binary data', () => {
  const content = [{ type: 'hologram', data: 'QUJD'.repeat(100), angle: 3 }];
  expect(toToolOutput({ content })).toEqual({
    type: 'text',
    value: '{"type":"hologram","data":"(400 characters of base64)","angle":3}',
  });
});

it.each([{}, { content: [] }, { content: [{ type: 'text', text: '' }] }])(
  'reports an empty output',
  result => {
    expect(toToolOutput(result)).toEqual({ type: 'text', value: '(no output)' });
  },
);

it.each([
  [{ content: [{ type: 'text', text: 'no such city' }] }, 'no such city'],
  [{ structuredContent: { reason: 'closed' } }, '{"reason":"closed"}'],
  [{}, 'The tool failed without a message.'],
])('returns a failure as text', (result, value) => {
  expect(toToolOutput({ ...result, isError: true })).toMatchObject({ type: 'error-text', value });
});

it.each([
  [[{ type: 'text', text: 'blurred' }], 'blurred'],
  [[], 'The tool failed without a message.'],
])('keeps the media of a failure with the content %j', (texts, text) => {
  expect(toToolOutput({ content: [...texts, image], isError: true })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text },
      { type: 'file', data: { type: 'data', data: 'iVBORw==' }, mediaType: 'image/png' },
    ],
    mcp: { isError: true },
  });
});

it('keeps the original blocks for the host, unless some cannot be read back', () => {
  const link = { type: 'resource_link', uri: 'file:///a.txt', name: 'a' };
  const text = { type: 'text', text: 'a' };
  expect(toToolOutput({ content: [text, link] })).toMatchObject({ mcp: { content: [text, link] } });
  const deep = Array.from({ length: 600 }).reduce<unknown>(inner => ({ inner }), {});
  const unreadable = [
    [link, { type: 'hologram' }],
    [link, { ...text, _meta: deep }],
    [link, ...Array.from({ length: 1000 }, () => text)],
  ];
  for (const content of unreadable) expect(toToolOutput({ content })).not.toHaveProperty('mcp');
});
