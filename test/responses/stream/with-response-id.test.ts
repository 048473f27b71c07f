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

/** The notes of the parts that carry any. */
const notesIn = (parts: readonly LanguageModelV2StreamPart[]) =>
  parts.flatMap(part =>
    part.type !== 'finish' && 'providerMetadata' in part && part.providerMetadata
      ? [part.providerMetadata]
      : [],
  );

describe.each([
  ['that is stored', { store: true }, { responseId: 'resp_1' }],
  ['that continues one', { store: false, previous_response_id: 'resp_0' }, { responseId: 'resp_1' }],
  ['that nobody keeps', { store: false, previous_response_id: null }, undefined],
])('of a response %s', (_, fields, expected) => {
  const events = toStream(scripts).map(event =>
    'response' in event ? { ...event, response: { ...(event.response as object), ...fields } } : event,
  );

  it.each([
    ['a stream', toSse(events), 6],
    ['a document', JSON.stringify(toResponse(scripts, fields)), 6],
  ])('the parts of %s say which it is, or do not', async (_, body, count) => {
    const notes = notesIn(await readParts(encode(body)));
    expect(notes.length).toBeGreaterThanOrEqual(count - 1);
    expect(notes.every(({ openai }) => typeof openai?.itemId === 'string')).toBe(true);
    expect(notes.map(({ kelivo }) => kelivo)).toEqual(notes.map(() => expected));
  });
});
