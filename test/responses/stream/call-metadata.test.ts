import { expect, it } from 'vitest';
import { agentOf } from '../_carriers.js';
import { summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, type ItemScript, message, toResponse, toStream } from './_fixtures/wire-events.js';

const call = (fields: Record<string, unknown>, args = '{"city":"Rome"}'): ItemScript => {
  const { begun, item, deltas } = functionCall('weather', args);
  return { begun: { ...begun, ...fields }, item: { ...item, ...fields }, deltas };
};

/** Reads a call from a stream, from a stream that announces nothing but its type, and from a document. */
async function readAll(script: ItemScript, options: Parameters<typeof readParts>[1] = {}) {
  const late = { ...script, begun: { type: 'function_call', id: 'fc_1' } };
  const bodies = [toSse(toStream([script])), toSse(toStream([late])), JSON.stringify(toResponse([script]))];
  return Promise.all(bodies.map(body => readParts([new TextEncoder().encode(body)], options)));
}

it.each([
  [{}, { itemId: 'fc_1' }],
  [{ async: true }, { itemId: 'fc_1', async: true }],
  [{ namespace: 'crm' }, { itemId: 'fc_1', namespace: 'crm' }],
  [{ namespace: null, caller: null, async: null }, { itemId: 'fc_1' }],
  [
    { caller: { type: 'program', caller_id: 'call_p' } },
    { itemId: 'fc_1', caller: { type: 'program', callerId: 'call_p' } },
  ],
  [{ caller: { type: 'direct' } }, { itemId: 'fc_1', caller: { type: 'direct' } }],
])('writes %j as the official provider for ai@7 does', async (fields, openai) => {
  for (const parts of await readAll(call(fields))) {
    const [written] = parts.filter(part => part.type === 'tool-call');
    expect(written?.providerMetadata).toEqual({ openai });
  }
});

it('keeps the metadata of a call whose arguments were completed by the end of the response', async () => {
  const script = call({ caller: { type: 'program', caller_id: 'call_p' } }, '{"city":"Ro');
  for (const parts of await readAll(script)) {
    expect(parts.find(part => part.type === 'tool-call')?.providerMetadata).toMatchObject({
      openai: { caller: { callerId: 'call_p' } },
    });
  }
});

it('names a call by its namespace', async () => {
  const toToolName = (name: string, namespace?: string) =>
    namespace === undefined ? name : `${namespace}_${name}`;
  for (const parts of await readAll(call({ namespace: 'crm' }), { toToolName })) {
    const names = parts.flatMap(part => ('toolName' in part ? [part.toolName] : []));
    expect(new Set(names)).toEqual(new Set(['crm_weather']));
  }
});

it('keeps the agent of a call, unless it is the main agent', async () => {
  for (const name of ['/root/search', '/root']) {
    for (const parts of await readAll(call({ agent: { agent_name: name } }))) {
      const [written] = parts.filter(part => part.type === 'tool-call');
      expect(agentOf(written?.providerMetadata)).toEqual(
        name === '/root' ? undefined : { agent_name: '/root/search' },
      );
    }
  }
});

it.each(['', undefined, null])('reports a call with the name %j', async name => {
  for (const parts of await readAll(call({ name }))) {
    expect(summarize(parts)).toMatchObject({ calls: [], finishReason: 'other' });
    expect(parts.at(-1)).toMatchObject({
      providerMetadata: {
        kelivo: { unnamedCalls: [{ toolCallId: 'call_1', input: '{"city":"Rome"}' }] },
      },
    });
  }
});

it('writes a call whose name only the terminal response contains', async () => {
  const events = toStream([call({})]).map(event =>
    event.type.startsWith('response.output_item.')
      ? { ...event, item: { ...(event.item as object), name: '' } }
      : event,
  );
  const parts = await readParts([new TextEncoder().encode(toSse(events))]);
  expect(summarize(parts)).toMatchObject({
    calls: [{ id: 'call_1', name: 'weather', input: '{"city":"Rome"}' }],
    finishReason: 'tool-calls',
  });
});

it('runs the named calls of a response with an unnamed one', async () => {
  const unnamed = functionCall('', '{}', { id: 'fc_2', callId: 'call_2' });
  const body = toSse(toStream([call({}), unnamed, message(['Hi'])]));
  const parts = await readParts([new TextEncoder().encode(body)]);
  expect(summarize(parts)).toMatchObject({ calls: [{ id: 'call_1' }], finishReason: 'tool-calls' });
});
