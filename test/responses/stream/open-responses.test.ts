import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { message, reasoning, toResponse, toStream } from './_fixtures/wire-events.js';
import { testServer } from './_servers.js';

const scripts = [reasoning({ text: 'Rome, then.' }), message(['In Rome.'])];
const expected = { reasoning: ['Rome, then.'], texts: ['In Rome.'], finishReason: 'stop' };

/** Gives the events of reasoning the names of the Open Responses specification. */
const withOpenNames = (events: readonly WireEvent[]): WireEvent[] =>
  events.map(event => ({
    ...event,
    type: event.type.replace('response.reasoning_text.', 'response.reasoning.'),
  }));

/** Removes the content of reasoning from all items. */
const withoutContent = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutContent);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, withoutContent(field)] as const);
  const isReasoning = 'type' in value && value.type === 'reasoning';
  return Object.fromEntries(entries.filter(([name]) => !(isReasoning && name === 'content')));
};

/** Writes the content of reasoning as a string. */
const withStringContent = (text: string): string =>
  text.replaceAll('"content":[{"type":"reasoning_text","text":"Rome, then."}]', '"content":"Rome, then."');

describe('reasoning of Open Responses', () => {
  const events = withOpenNames(toStream(scripts));
  testServer('is read from deltas, the end of the text and the item, once', events, expected);
  testServer(
    'is read from deltas alone',
    withoutContent(events.filter(({ type }) => type !== 'response.reasoning.done')) as WireEvent[],
    expected,
  );
  testServer(
    'is read from the end of the text alone',
    withoutContent(events.filter(({ type }) => type !== 'response.reasoning.delta')) as WireEvent[],
    expected,
  );
});

describe('reasoning whose content is a string', () => {
  const silent = toStream(scripts).filter(({ type }) => !type.startsWith('response.reasoning'));
  forEachChunking('is read from the items of a stream', withStringContent(toSse(silent)), async chunks => {
    expect(summarize(await readParts(chunks))).toMatchObject(expected);
  });
  const document = withStringContent(JSON.stringify(toResponse(scripts)));
  forEachChunking('is read from a document', document, async chunks => {
    expect(summarize(await readParts(chunks))).toMatchObject(expected);
  });
});

describe('reasoning that the server finishes at the end of the response', () => {
  /** Moves the ends of all items in front of the end of the response, as llama.cpp does. */
  const withLateEnds = (list: readonly WireEvent[]): WireEvent[] => {
    const isEnd = ({ type }: WireEvent) => type.endsWith('.done');
    return [...list.filter(event => !isEnd(event)).slice(0, -1), ...list.filter(isEnd), ...list.slice(-1)];
  };
  const orderOf = async (list: readonly WireEvent[]) => {
    const parts = await readParts([new TextEncoder().encode(toSse(list))]);
    return parts.map(({ type }) => type).filter(type => /^(reasoning|text)-(start|end)$/.test(type));
  };

  it('ends when the next item begins, in one block', async () => {
    expect(await orderOf(withLateEnds(toStream(scripts)))).toEqual([
      'reasoning-start',
      'reasoning-end',
      'text-start',
      'text-end',
    ]);
  });

  it('keeps encrypted content that only its end contains', async () => {
    const encrypted = [reasoning({ text: 'Rome, then.', encrypted: 'xyz' }), message(['In Rome.'])];
    const unannounced = withLateEnds(toStream(encrypted)).map(event => {
      if (event.type !== 'response.output_item.added') return event;
      const { encrypted_content: _, ...item } = event.item as Record<string, unknown>;
      return { ...event, item };
    });
    for (const list of [withLateEnds(toStream(encrypted)), unannounced]) {
      const parts = await readParts([new TextEncoder().encode(toSse(list))]);
      expect(summarize(parts).texts).toEqual(['In Rome.']);
      expect(summarize(parts).reasoning.join('')).toBe('Rome, then.');
      expect(parts.filter(({ type }) => type === 'reasoning-end').at(-1)).toMatchObject({
        providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'xyz' } },
      });
    }
  });
});
