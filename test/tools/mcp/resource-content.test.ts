import type { ModelMessage } from 'ai';
import type { ModelMessage as ModelMessage6 } from 'ai6';
import type { ModelMessage as ModelMessage7 } from 'ai7';
import { expect, expectTypeOf, test } from 'vitest';
import type { McpPromptMessage } from '../../../src/tools/mcp/index.js';
import { toContentParts } from '../../../src/tools/mcp/features/tool-output.js';

const encode = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64');

const toParts = (resource: object) => toContentParts([{ type: 'resource', resource }]);

test('the text of a resource keeps its URI and media type', () => {
  expect(toParts({ uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A' })).toEqual([
    { type: 'text', text: 'Resource file:///a.md (text/markdown):\n# A' },
  ]);
});

test.each([
  ['text/plain', 'Grüße'],
  ['text/csv; charset=utf-8', 'ä;ö'],
  ['application/json', '{"a":1}'],
  ['application/ld+json', '{"b":2}'],
  ['application/xml', '<a/>'],
  ['image/svg+xml', '<svg/>'],
  ['application/x-yaml', 'a: 1'],
  ['TEXT/HTML', '<p>'],
])('base64 of type %s is decoded to text', (mimeType, text) => {
  expect(toParts({ uri: 'x:1', mimeType, blob: encode(text) })).toEqual([
    { type: 'text', text: `Resource x:1 (${mimeType}):\n${text}` },
  ]);
});

test('text in another character set is decoded', () => {
  const blob = encode('Grüße', 'latin1');
  expect(toParts({ uri: 'x:1', mimeType: 'text/plain;charset="iso-8859-1"', blob })).toEqual([
    { type: 'text', text: 'Resource x:1 (text/plain;charset="iso-8859-1"):\nGrüße' },
  ]);
});

test.each(['image/png', 'audio/wav', 'video/mp4', 'application/pdf'])(
  'base64 of type %s is a file with the name in its URI',
  mimeType => {
    expect(toParts({ uri: 'file:///docs/report.bin?version=2', mimeType, blob: 'AAAA' })).toEqual([
      { type: 'file', data: 'AAAA', mediaType: mimeType, filename: 'report.bin' },
    ]);
  },
);

test.each([
  ['application/zip', 'AAAA', 'application/zip, 3 bytes'],
  ['application/gzip', 'AAA=', 'application/gzip, 2 bytes'],
  ['application/x-tar', 'AA==', 'application/x-tar, 1 bytes'],
  [undefined, '', 'application/octet-stream, 0 bytes'],
])('an archive of type %s is described by its type and size', (mimeType, blob, description) => {
  expect(toParts({ uri: 'file:///a.zip', mimeType, blob })).toEqual([
    { type: 'text', text: `Resource file:///a.zip (${description}): binary content omitted` },
  ]);
});

test('text that is not valid base64 stays a file', () => {
  expect(toParts({ uri: 'x:1', mimeType: 'text/plain', blob: '%%%' })).toEqual([
    { type: 'file', data: '%%%', mediaType: 'text/plain' },
  ]);
});

test('blocks of other types become text and files', () => {
  const blocks = [
    { type: 'text', text: 'Look:' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'audio', data: 'BBBB', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'demo://1', name: 'One', mimeType: 'text/plain' },
    { type: 'hologram', depth: 3 },
    { type: 'text', text: ' ' },
  ];
  expect(toContentParts(blocks)).toEqual([
    { type: 'text', text: 'Look:' },
    { type: 'file', data: 'AAAA', mediaType: 'image/png' },
    { type: 'file', data: 'BBBB', mediaType: 'audio/wav' },
    { type: 'text', text: 'Resource link: One <demo://1> (text/plain)' },
    { type: 'text', text: '{"type":"hologram","depth":3}' },
  ]);
});

test('the messages of a prompt are model messages of every major of the AI SDK', () => {
  expectTypeOf<McpPromptMessage>().toExtend<ModelMessage>();
  expectTypeOf<McpPromptMessage>().toExtend<ModelMessage6>();
  expectTypeOf<McpPromptMessage>().toExtend<ModelMessage7>();
});
