import { describe, expect, it } from 'vitest';
import { withJsonAnswers } from '../../src/adapters/prompts/prompted-model.js';
import type { CoreCall } from '../../src/core/call.js';
import { partsOf } from '../../src/core/source.js';
import { coreCall, toCore } from '../_core.js';
import { finish, scriptedModel, start } from '../tool-loop/_scripted-model.js';

const request: Partial<CoreCall> = {
  tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }],
  responseFormat: { type: 'json' },
};

/** Returns the texts of a response by block, with the kinds of their parts. */
async function read(blocks: readonly (readonly string[])[], call: Partial<CoreCall> = request) {
  const model = scriptedModel([
    start,
    ...blocks.flatMap((chunks, index) => [
      { type: 'text-start' as const, id: `t${index}` },
      ...chunks.map(delta => ({ type: 'text-delta' as const, id: `t${index}`, delta })),
      { type: 'text-end' as const, id: `t${index}` },
    ]),
    finish(),
  ]);
  const texts = new Map<string, string>();
  const open = new Set<string>();
  for await (const part of partsOf(await withJsonAnswers(toCore(model)).open(coreCall(call)))) {
    if (part.type === 'text-start') {
      open.add(part.id);
      texts.set(part.id, '');
    } else if (part.type === 'text-delta') {
      expect(open).toContain(part.id);
      expect(part.delta).not.toBe('');
      texts.set(part.id, `${texts.get(part.id)}${part.delta}`);
    } else if (part.type === 'text-end') {
      expect(open.delete(part.id)).toBe(true);
    }
  }
  expect([...open]).toEqual([]);
  return [...texts.values()];
}

const chunkings: Readonly<Record<string, (text: string) => string[]>> = {
  'one chunk': text => [text],
  'single characters': text => [...text],
  'chunks of three': text => text.match(/[^]{1,3}/g) ?? [],
};

describe.each(Object.entries(chunkings))('a JSON answer in %s', (_, chunk) => {
  it.each([
    ['```json\n{"a": 1}\n```', '{"a": 1}'],
    ['```JSON \r\n{"a": 1}\r\n```\r\n', '{"a": 1}'],
    ['\n\n```\n[1]\n```\n\n', '[1]'],
    ['```json{"a": 1}```', '{"a": 1}'],
    ['``` {"a": 1} ```', '{"a": 1}'],
    ['```"text"```', '"text"'],
    ['```json\n{"a": "`b` ```c```"}\n```', '{"a": "`b` ```c```"}'],
  ])('%j loses its fence', async (text, expected) => {
    expect(await read([chunk(text)])).toEqual([expected]);
  });

  it.each([
    '{"a": 1}',
    '{"a": "```"}\n',
    'See:\n```json\n{}\n```',
    '`{"a": 1}`',
    '```json5 x\n{}\n```',
    '``',
    '',
    ' \n',
  ])('%j is unchanged', async text => {
    expect(await read([chunk(text)])).toEqual([text]);
  });

  it.each([
    // A truncated answer keeps the end that is no fence.
    ['```json\n{"a": 1}\n``', '{"a": 1}\n``'],
    ['```json\n{"a": 1', '{"a": 1'],
    ['```json\n{"a": 1}\n```\nDone.', '{"a": 1}\n```\nDone.'],
  ])('%j loses its opening fence alone', async (text, expected) => {
    expect(await read([chunk(text)])).toEqual([expected]);
  });

  it('is read in each text block', async () => {
    const text = '```json\n{"a": 1}\n```';
    expect(await read([chunk(text), chunk('x'), chunk(text)])).toEqual(['{"a": 1}', 'x', '{"a": 1}']);
  });
});

it.each<[string, Partial<CoreCall>]>([
  ['no JSON is requested', { ...request, responseFormat: { type: 'text' } }],
  ['no tools are declared', { ...request, tools: [] }],
  ['no calls are allowed', { ...request, toolChoice: { type: 'none' } }],
])('keeps the fence where %s', async (_, call) => {
  const text = '```json\n{"a": 1}\n```';
  expect(await read([[text]], call)).toEqual([text]);
});
