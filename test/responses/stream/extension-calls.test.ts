import { expect, it } from 'vitest';
import { createKelivoResponsesProvider, type OpenResponsesExtension } from '../../../src/index.js';
import { toSse } from '../../_sse.js';
import { type ItemScript, message, toStream } from './_fixtures/wire-events.js';

const call = { toolCallId: 'c1', toolName: 'search', providerExecuted: true } as const;

/** Shows its call by an event, in pieces, or by the item alone. */
const showingBy = (shows: 'event' | 'item'): OpenResponsesExtension => ({
  id: 'acme.search',
  toolType: 'acme:search',
  itemTypes: ['acme:receipt'],
  eventTypes: ['acme:progress'],
  decodeEvent: () =>
    shows === 'item'
      ? []
      : [
          { type: 'tool-input-start', id: 'c1', toolName: 'search', providerExecuted: true },
          { type: 'tool-input-end', id: 'c1' },
        ],
  decodeItem: () => (shows === 'item' ? [{ type: 'tool-call', ...call, input: '{}' }] : []),
});

const receipt = { type: 'acme:receipt', id: 'ar_1', status: 'completed' };
const withCall: ItemScript[] = [
  {
    begun: { ...receipt, status: 'in_progress' },
    item: receipt,
    deltas: [{ type: 'acme:progress', item_id: 'ar_1' }],
  },
  message(['Hi.']),
];

it.each(['event', 'item'] as const)(
  'a call that an extension shows by its %s is a sign that the server knows the tools',
  async shows => {
    const responses = [withCall, [message(['Hi.'])], [message(['Hi.'])]];
    const provider = createKelivoResponsesProvider({
      baseURL: 'http://server.test/v1',
      apiKey: 'k',
      api: 'open-responses',
      toolLoop: false,
      extensions: [showingBy(shows)],
      async fetch() {
        // The server repeats an empty list of tools.
        const events = toStream(responses.shift() ?? []).map(event =>
          typeof event.response === 'object'
            ? { ...event, response: { ...event.response, tools: [] } }
            : event,
        );
        return new Response(toSse(events), { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    const warnings: unknown[] = [];
    for (const text of ['One.', 'Two.', 'Three.']) {
      const { stream } = await provider('m').doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
        tools: [{ type: 'function', name: 'ping', inputSchema: { type: 'object', properties: {} } }],
      });
      for await (const part of stream) if (part.type === 'stream-start') warnings.push(...part.warnings);
    }
    expect(warnings).toEqual([]);
  },
);
