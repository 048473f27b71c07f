import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, message, reasoning, toResponse, toStream } from './_fixtures/wire-events.js';

const scripts = [
  reasoning({ summary: ['Hm.'], encrypted: 'e' }),
  message(['I look.']),
  functionCall('look', '{}'),
];

const encode = (text: string) => [new TextEncoder().encode(text)];

/** Returns the metadata of the parts that have any. */
const metadataIn = (parts: readonly LanguageModelV2StreamPart[]) =>
  parts.flatMap(part =>
    part.type !== 'finish' && 'providerMetadata' in part && part.providerMetadata
      ? [part.providerMetadata]
      : [],
  );

const events = toSse(toStream(scripts));
const documentBody = JSON.stringify(toResponse(scripts, {}));

describe.each([
  ['that the server stores', true, { responseId: 'resp_1' }],
  ['that no server stores', false, undefined],
])('a response %s', (_, isKept, expected) => {
  it.each([
    ['a stream', events, 6],
    ['a document', documentBody, 6],
  ])('adds the response id to the parts of %s if it is stored', async (_, body, count) => {
    const metadata = metadataIn(await readParts(encode(body), { isKept }));
    expect(metadata.length).toBeGreaterThanOrEqual(count - 1);
    expect(metadata.every(({ openai }) => typeof openai?.itemId === 'string')).toBe(true);
    expect(metadata.map(({ kelivo }) => kelivo)).toEqual(metadata.map(() => expected));
  });
});

it('a call without an item id has the id of its response', async () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
  const body = JSON.stringify({ id: 'resp_1', object: 'response', status: 'completed', output: [call] });
  const parts = await readParts(encode(body), { isKept: true });
  expect(parts.find(({ type }) => type === 'tool-call')).toMatchObject({
    providerMetadata: { kelivo: { responseId: 'resp_1' } },
  });
});
