import { describe, expect, it } from 'vitest';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { reasoning, toStream } from './_fixtures/wire-events.js';

const read = (events: readonly WireEvent[]) => readParts([new TextEncoder().encode(toSse(events))]);

describe('createReasoningItem', () => {
  it('adds the encrypted content of the finished item only to the last block', async () => {
    const events = toStream([reasoning({ id: 'rs_7', summary: ['One', 'Two'], encrypted: 'gAAAA' })]);
    const parts = (await read(events)).filter(({ type }) => /^reasoning-(start|end)$/.test(type));
    const begun = { openai: { itemId: 'rs_7', reasoningEncryptedContent: null } };
    expect(parts).toEqual([
      { type: 'reasoning-start', id: 'reasoning-0:0', providerMetadata: begun },
      { type: 'reasoning-end', id: 'reasoning-0:0', providerMetadata: { openai: { itemId: 'rs_7' } } },
      { type: 'reasoning-start', id: 'reasoning-0:1', providerMetadata: begun },
      {
        type: 'reasoning-end',
        id: 'reasoning-0:1',
        providerMetadata: { openai: { itemId: 'rs_7', reasoningEncryptedContent: 'gAAAA' } },
      },
    ]);
  });

  it('has no encrypted content if the response ends before the item', async () => {
    const events = toStream([reasoning({ summary: ['One'], encrypted: 'gAAAA' })], { output: [] });
    const truncated = events.filter(({ type }) => type !== 'response.output_item.done');
    expect((await read(truncated)).find(({ type }) => type === 'reasoning-end')).toMatchObject({
      providerMetadata: { openai: { reasoningEncryptedContent: null } },
    });
  });

  it('treats empty encrypted content as missing', async () => {
    const parts = await read(toStream([reasoning({ summary: ['One'], encrypted: '' })]));
    expect(parts.find(({ type }) => type === 'reasoning-end')).toMatchObject({
      providerMetadata: { openai: { reasoningEncryptedContent: null } },
    });
  });

  it('opens no empty block for a summary that begins at index 1', async () => {
    const events = toStream([reasoning({ summary: ['One'] })], { output: [] })
      .filter(({ type }) => type !== 'response.output_item.done')
      .map(event => ('summary_index' in event ? { ...event, summary_index: 1 } : event));
    expect(summarize(await read(events)).reasoning).toEqual(['One']);
  });

  it('reads a summary from the finished item if no event contained it', async () => {
    const events = toStream([reasoning({ summary: ['One', 'Two'] })]).filter(
      ({ type }) => !type.includes('summary'),
    );
    expect(summarize(await read(events)).reasoning).toEqual(['One', 'Two']);
  });

  it('adds text from the end of a part that its deltas did not contain', async () => {
    const events = toStream([reasoning({ summary: ['One two three'] })], { output: [] }).filter(
      ({ type, delta }) => delta !== ' three' && type !== 'response.output_item.done',
    );
    expect(summarize(await read(events)).reasoning).toEqual(['One two three']);
  });

  it('emits a summary that differs from the full text in a separate block', async () => {
    const events = toStream([reasoning({ text: 'A long thought.', summary: ['In short.'] })], { output: [] });
    const withoutItem = events.filter(({ type }) => type !== 'response.output_item.done');
    expect(summarize(await read(withoutItem)).reasoning).toEqual(['A long thought.', 'In short.']);
  });
});
