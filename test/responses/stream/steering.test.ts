import { describe, expect, it } from 'vitest';
import { agentOf, commentaryOf } from '../_carriers.js';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, type ItemScript, message, reasoning, toStream } from './_fixtures/wire-events.js';

const bytes = (text: string) => [new TextEncoder().encode(text)];

/** The events of a response with an id. */
const response = (
  id: string,
  scripts: readonly ItemScript[],
  terminal: Record<string, unknown> = {},
): WireEvent[] =>
  toStream(scripts, terminal).map(event =>
    'response' in event ? { ...event, response: { ...(event.response as object), id } } : event,
  );

const STEERED = { status: 'incomplete', incomplete_details: { reason: 'steered' } };
const accepted = { type: 'response.steer.accepted', steer: { id: 's', previous_response_id: 'resp_a' } };

describe('a steered response', () => {
  const steered = response('resp_a', [message(['The weather in'], { id: 'msg_a' })], STEERED);

  forEachChunking(
    'continues with the response that follows, whose id it has',
    toSse([...steered, accepted, ...response('resp_b', [message(['Rome: sunny.'], { id: 'msg_b' })])]),
    async chunks => {
      const parts = await readParts(chunks, { isKept: true });
      const { texts, finishReason, usage, errors } = summarize(parts);
      expect({ texts, finishReason, errors }).toEqual({
        texts: ['The weather in', 'Rome: sunny.'],
        finishReason: 'stop',
        errors: [],
      });
      expect(usage).toMatchObject({ inputTokens: 150, outputTokens: 80 });
      expect(parts.flatMap(part => (part.type === 'response-metadata' ? [part.id] : []))).toEqual([
        'resp_a',
        'resp_b',
      ]);
      expect(parts.at(-1)).toMatchObject({ providerMetadata: { openai: { responseId: 'resp_b' } } });
      expect(parts.filter(part => part.type === 'text-end').map(part => part.providerMetadata)).toMatchObject(
        [{ kelivo: { responseId: 'resp_a' } }, { kelivo: { responseId: 'resp_b' } }],
      );
      expect(parts.at(-1)).not.toHaveProperty('providerMetadata.kelivo.incompleteReason');
    },
  );

  it('still has the calls of the first response', async () => {
    const first = response('resp_a', [functionCall('weather', '{}')], STEERED);
    const second = response('resp_b', [message(['Wait.'])]);
    const parts = await readParts(bytes(toSse([...first, ...second])));
    expect(summarize(parts)).toMatchObject({ calls: [{ id: 'call_1' }], finishReason: 'tool-calls' });
  });

  it('is incomplete if nothing follows', async () => {
    for (const doneMarker of [true, false]) {
      const parts = await readParts(bytes(toSse(steered, { doneMarker })));
      expect(summarize(parts)).toMatchObject({
        texts: ['The weather in'],
        finishReason: 'other',
        errors: [],
      });
      expect(parts.at(-1)).toMatchObject({ providerMetadata: { kelivo: { incompleteReason: 'steered' } } });
    }
  });

  it('is waited for without the time limit of a complete response', async () => {
    const chunks = [steered, response('resp_b', [message(['Later.'], { id: 'msg_b' })])].map(events =>
      new TextEncoder().encode(toSse(events)),
    );
    const limits: unknown[] = [];
    const parts = await readParts([], {
      read: async (options?: unknown) => {
        limits.push(options);
        return chunks.shift();
      },
    });
    expect(limits).toEqual([undefined, undefined, { within: 1_000 }]);
    expect(summarize(parts).texts).toEqual(['The weather in', 'Later.']);
  });

  it('is an error if the connection breaks before the next one', async () => {
    const chunks = [new TextEncoder().encode(toSse(steered))];
    const parts = await readParts([], {
      read: async () => {
        const chunk = chunks.shift();
        if (chunk === undefined) throw new Error('reset');
        return chunk;
      },
    });
    expect(summarize(parts)).toMatchObject({ errors: [new Error('reset')], finishReason: 'error' });
  });
});

describe('agents that the model has started', () => {
  const agent = { agent_name: '/root/search' };
  const tag = (script: ItemScript, by: object): ItemScript => ({
    begun: { ...script.begun, agent: by },
    item: { ...script.item, agent: by },
    deltas: script.deltas,
  });
  const events = toStream([
    tag(reasoning({ summary: ['Hm'], encrypted: 'e' }), agent),
    tag(message(['Found it.'], { id: 'msg_a' }), agent),
    tag(message([{ refusal: 'No.' }], { id: 'msg_r' }), agent),
    tag(message(['Rome.'], { id: 'msg_b', phase: 'final_answer' }), { agent_name: '/root' }),
  ]);

  forEachChunking('write no part of the answer', toSse(events), async chunks => {
    const parts = await readParts(chunks);
    expect(summarize(parts)).toMatchObject({
      texts: ['Rome.'],
      reasoning: ['Hm', 'Found it.', 'No.'],
      finishReason: 'stop',
    });
    const [thought, said] = parts.filter(part => part.type === 'reasoning-end');
    expect(agentOf(thought?.providerMetadata)).toEqual(agent);
    expect(commentaryOf(thought?.providerMetadata)).toBeUndefined();
    expect(commentaryOf(said?.providerMetadata)).toEqual({ id: 'msg_a', agent });
  });
});
