import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { message, toStream } from './_fixtures/wire-events.js';

const read = (events: readonly WireEvent[]) => readParts([new TextEncoder().encode(toSse(events))]);

const without = (events: readonly WireEvent[], ...types: string[]) =>
  events.filter(({ type }) => !types.includes(type));

/** Moves the events of a type after all others, before the item is done. */
function withLate(events: readonly WireEvent[], type: string): WireEvent[] {
  const late = events.filter(event => event.type === type);
  const others = without(events, type);
  const end = others.findIndex(event => event.type === 'response.output_item.done');
  return others.toSpliced(end, 0, ...late);
}

describe('MessageItem', () => {
  const twoParts = toStream([message(['First part. ', 'Second part.'])]);

  forEachChunking(
    'adds nothing if the parts are declared done after both were streamed',
    toSse(withLate(twoParts, 'response.output_text.done')),
    async chunks => {
      expect(summarize(await readParts(chunks)).texts).toEqual(['First part. Second part.']);
    },
  );

  it('adds nothing if the parts are declared done in the wrong order', async () => {
    const [first, second] = twoParts.filter(({ type }) => type === 'response.output_text.done');
    const swapped = withLate(twoParts, 'response.output_text.done').map(event =>
      event === first ? second : event === second ? first : event,
    );
    const parts = await read(swapped.filter(event => event !== undefined));
    expect(summarize(parts).texts).toEqual(['First part. Second part.']);
  });

  it('adds nothing if a part is declared done twice', async () => {
    const events = toStream([message(['Only once.'])]).flatMap(event =>
      event.type === 'response.output_text.done' ? [event, event] : [event],
    );
    expect(summarize(await read(events)).texts).toEqual(['Only once.']);
  });

  it('adds text from the finished part that its deltas did not contain', async () => {
    const events = toStream([message(['All of it.'])]).filter(
      ({ type, delta }) => type !== 'response.output_text.delta' || delta === 'All',
    );
    const lastWords = without(events, 'response.output_item.done');
    expect(summarize(await read(lastWords)).texts).toEqual(['All of it.']);
  });

  it('adds text from the finished item that no event contained', async () => {
    const events = without(
      toStream([message(['Same.', 'Same.', ' Other.'])]),
      'response.output_text.delta',
      'response.output_text.done',
    );
    expect(summarize(await read(events)).texts).toEqual(['Same.Same. Other.']);
  });

  it('emits a part of which only the end event arrives, and a part with the same text from the finished item', async () => {
    const events = without(toStream([message(['Same.', 'Same.'])]), 'response.output_text.delta');
    expect(summarize(await read(events)).texts).toEqual(['Same.Same.']);
  });

  it('adds text from the terminal response that no event contained', async () => {
    const events = toStream([message(['All of it.'])]).filter(({ type }) =>
      ['response.created', 'response.completed'].includes(type),
    );
    expect(summarize(await read(events)).texts).toEqual(['All of it.']);
  });

  it('keeps the streamed text if the finished item differs', async () => {
    const events = toStream([message(['Hello.'])]).map(event =>
      event.type.endsWith('.done') || event.type === 'response.completed'
        ? JSON.parse(JSON.stringify(event).replaceAll('Hello.', 'Goodbye.'))
        : event,
    );
    expect(summarize(await read(events)).texts).toEqual(['Hello.']);
  });

  it('adds the item id and the phase to both ends of the block', async () => {
    const events = toStream([message(['Hi'], { id: 'msg_7', phase: 'final_answer' })]);
    const parts = (await read(events)).filter(({ type }) => type === 'text-start' || type === 'text-end');
    const providerMetadata = { openai: { itemId: 'msg_7', phase: 'final_answer' } };
    expect(parts).toEqual([
      { type: 'text-start', id: 'message-0', providerMetadata },
      { type: 'text-end', id: 'message-0', providerMetadata },
    ]);
  });

  it('emits a source that only the finished item contains, and adds all annotations to the block', async () => {
    const annotation = {
      type: 'url_citation',
      url: 'https://a.test/',
      title: 'A',
      start_index: 0,
      end_index: 2,
    };
    const events = without(
      toStream([message([{ text: 'Hi', annotations: [annotation] }])]),
      'response.output_text.annotation.added',
    );
    const parts = await read(events);
    expect(parts).toContainEqual({
      type: 'source',
      sourceType: 'url',
      id: 'message-0:source-1',
      url: 'https://a.test/',
      title: 'A',
    });
    expect(parts.find(({ type }) => type === 'text-end')).toMatchObject({
      providerMetadata: { openai: { annotations: [annotation] } },
    });
  });

  it('emits the document, the file and the container that an annotation cites', async () => {
    const annotation = {
      type: 'container_file_citation',
      file_id: 'cfile_1',
      container_id: 'cntr_1',
      filename: 'plot.png',
    };
    const parts = await read(toStream([message([{ text: 'See plot.png', annotations: [annotation] }])]));
    expect(parts).toContainEqual({
      type: 'source',
      sourceType: 'document',
      id: 'message-0:source-1',
      mediaType: 'text/plain',
      title: 'plot.png',
      filename: 'plot.png',
      providerMetadata: {
        openai: { type: 'container_file_citation', fileId: 'cfile_1', containerId: 'cntr_1' },
      },
    });
  });

  it('reads a citation that is nested in a field, as chat servers send it', async () => {
    const annotation = { type: 'url_citation', url_citation: { url: 'https://a.test/', title: 'A' } };
    const parts = await read(toStream([message([{ text: 'Hi', annotations: [annotation] }])]));
    expect(summarize(parts).sources).toEqual(['https://a.test/']);
  });
});
