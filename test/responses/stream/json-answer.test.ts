import { describe, expect, it } from 'vitest';
import type { Content } from '../../../src/core/part.js';
import { commentaryOf } from '../_carriers.js';
import { toJsonContent } from '../../../src/responses/stream/message-item.js';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toResponse,
  toStream,
} from './_fixtures/wire-events.js';

const bytes = (text: string) => [new TextEncoder().encode(text)];
const JSON_TEXT = '{"city": "Rome"}';
const said = (text: string, id: string, phase?: string) =>
  message([text], { id, ...(phase !== undefined && { phase }) });

/** Removes the phase from the announcements, as servers do that determine it later. */
const withLatePhase = (events: readonly WireEvent[]): WireEvent[] =>
  events.map(event => {
    if (event.type !== 'response.output_item.added') return event;
    const { phase: _, ...item } = event.item as Record<string, unknown>;
    return { ...event, item };
  });

interface Case {
  readonly title: string;
  readonly scripts: readonly ItemScript[];
  readonly texts: readonly string[];
  readonly reasoning: readonly string[];
}

const cases: readonly Case[] = [
  {
    title: 'JSON alone',
    scripts: [said(JSON_TEXT, 'msg_1')],
    texts: [JSON_TEXT],
    reasoning: [],
  },
  {
    title: 'commentary before the answer',
    scripts: [said('I will look.', 'msg_1', 'commentary'), said(JSON_TEXT, 'msg_2', 'final_answer')],
    texts: [JSON_TEXT],
    reasoning: ['I will look.'],
  },
  {
    title: 'prose before the answer, without phases',
    scripts: [said('First, prose.', 'msg_1'), said('More prose.', 'msg_2'), said(JSON_TEXT, 'msg_3')],
    texts: [JSON_TEXT],
    reasoning: ['First, prose.', 'More prose.'],
  },
  {
    title: 'prose of an unknown phase before the answer',
    scripts: [said('A draft.', 'msg_1', 'draft'), said(JSON_TEXT, 'msg_2', 'final_answer')],
    texts: [JSON_TEXT],
    reasoning: ['A draft.'],
  },
  {
    title: 'prose after the answer, without phases',
    scripts: [said(JSON_TEXT, 'msg_1'), said('Done.', 'msg_2')],
    texts: [JSON_TEXT],
    reasoning: ['Done.'],
  },
  {
    title: 'prose before a call',
    scripts: [said('Let me check.', 'msg_1'), functionCall('weather', '{}')],
    texts: [],
    reasoning: ['Let me check.'],
  },
  {
    title: 'prose alone',
    scripts: [said('I have no answer.', 'msg_1')],
    texts: ['I have no answer.'],
    reasoning: [],
  },
  {
    title: 'reasoning and an answer in a code block',
    scripts: [reasoning({ summary: ['Hm'] }), said('```json\n{}\n```', 'msg_1')],
    texts: ['```json\n{}\n```'],
    reasoning: ['Hm'],
  },
  {
    title: 'a number',
    scripts: [said(' 42', 'msg_1')],
    texts: [' 42'],
    reasoning: [],
  },
  {
    title: 'a refusal',
    scripts: [message([{ refusal: 'I cannot.' }])],
    texts: ['I cannot.'],
    reasoning: [],
  },
];

describe('if JSON is requested', () => {
  for (const { title, scripts, texts, reasoning: expected } of cases) {
    const summary = { texts, reasoning: expected, errors: [] };

    forEachChunking(`streams ${title}`, toSse(toStream(scripts)), async chunks => {
      expect(summarize(await readParts(chunks, { isJson: true }))).toMatchObject(summary);
    });

    it(`reads ${title} from a document`, async () => {
      const parts = await readParts(bytes(JSON.stringify(toResponse(scripts))), { isJson: true });
      expect(summarize(parts)).toMatchObject(summary);
    });

    it(`streams ${title} if the phase follows late`, async () => {
      const parts = await readParts(bytes(toSse(withLatePhase(toStream(scripts)))), { isJson: true });
      expect(summarize(parts)).toMatchObject(summary);
    });
  }

  it('streams JSON without a phase as it arrives', async () => {
    const parts = await readParts(bytes(toSse(toStream([said(JSON_TEXT, 'msg_1')]))), { isJson: true });
    expect(parts.filter(({ type }) => type === 'text-delta')).toHaveLength(2);
  });

  it('marks commentary as a message, with its id and phase', async () => {
    const events = toStream([said('I will look.', 'msg_1', 'commentary'), said(JSON_TEXT, 'msg_2')]);
    for (const sent of [events, withLatePhase(events)]) {
      const parts = await readParts(bytes(toSse(sent)), { isJson: true, isKept: true });
      const end = parts.find(part => part.type === 'reasoning-end');
      expect(commentaryOf(end?.providerMetadata)).toEqual({ id: 'msg_1', phase: 'commentary' });
      expect(end?.providerMetadata).toMatchObject({
        openai: { itemId: 'msg_1', phase: 'commentary' },
        kelivo: { responseId: 'resp_1' },
      });
    }
  });

  it('loses no text of a broken stream', async () => {
    const events = toStream([said('First, some prose', 'msg_1')]).slice(0, 6);
    const parts = await readParts(bytes(toSse(events)), { isJson: true });
    expect(summarize(parts)).toMatchObject({ texts: ['First, some'], finishReason: 'error' });
  });
});

describe('if text is requested', () => {
  it('keeps commentary as text with its phase', async () => {
    const scripts = [said('I will look.', 'msg_1', 'commentary'), said('Rome', 'msg_2', 'final_answer')];
    const parts = await readParts(bytes(toSse(toStream(scripts))));
    expect(summarize(parts)).toMatchObject({ texts: ['I will look.', 'Rome'], reasoning: [] });
    expect(parts.filter(part => part.type === 'text-end').map(part => part.providerMetadata)).toEqual([
      { openai: { itemId: 'msg_1', phase: 'commentary' } },
      { openai: { itemId: 'msg_2', phase: 'final_answer' } },
    ]);
  });
});

describe('toJsonContent', () => {
  const text = (value: string, phase?: string): Content => ({
    type: 'text',
    text: value,
    providerMetadata: {
      openai: { itemId: value, ...(phase !== undefined && { phase }) },
    },
    own: { responseId: 'r' },
  });
  const shape = (content: readonly Content[]) =>
    toJsonContent(content).map(part => ('text' in part ? [part.type, part.text] : [part.type]));

  it.each<[string, Content[], string[][]]>([
    [
      'the last of several documents',
      [text('{}'), text('[1]')],
      [
        ['reasoning', '{}'],
        ['text', '[1]'],
      ],
    ],
    [
      'a document in two messages',
      [text('{"a":'), text('1}')],
      [
        ['text', '{"a":'],
        ['text', '1}'],
      ],
    ],
    [
      'prose',
      [text('a'), text('b')],
      [
        ['text', 'a'],
        ['text', 'b'],
      ],
    ],
    [
      'late commentary that begins like JSON',
      [text('[1] is', 'commentary'), text('{}')],
      [
        ['reasoning', '[1] is'],
        ['text', '{}'],
      ],
    ],
    [
      'an empty message at the end',
      [text('x'), text('{}'), text(' ')],
      [
        ['reasoning', 'x'],
        ['text', '{}'],
        ['reasoning', ' '],
      ],
    ],
  ])('finds the answer in %s', (_, content, expected) => {
    expect(shape(content)).toEqual(expected);
  });

  it('keeps the metadata, with a mark for the next request', () => {
    expect(toJsonContent([text('x', 'commentary'), text('{}')])).toMatchObject([
      {
        type: 'reasoning',
        providerMetadata: {
          openai: { itemId: 'x', phase: 'commentary' },
        },
        own: { commentary: true, responseId: 'r' },
      },
      { type: 'text' },
    ]);
  });
});
