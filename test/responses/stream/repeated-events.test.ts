import { describe, expect, it } from 'vitest';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, message, reasoning, toResponse, toStream } from './_fixtures/wire-events.js';

const read = async (events: readonly WireEvent[]) =>
  summarize(await readParts([new TextEncoder().encode(toSse(events))]));

const begin: WireEvent = { type: 'response.created', response: { ...toResponse([]), status: 'in_progress' } };

describe('repeated events', () => {
  it('are ignored: a second terminal event', async () => {
    const hello = [message(['Hello']), functionCall('pay', '{}')];
    const events = toStream(hello);
    const done = { type: 'response.done', response: toResponse(hello) };
    expect(await read([...events, done])).toMatchObject({ texts: ['Hello'], calls: [{ name: 'pay' }] });
  });

  it('are emitted if they belong to another response of the stream', async () => {
    const hello = { type: 'response.completed', response: toResponse([message(['Hello'])]) };
    expect(await read([begin, hello, begin, hello])).toMatchObject({ texts: ['Hello', 'Hello'] });
  });

  it('belong to another call if their index and call id differ, even with the same item id', async () => {
    const events = [
      begin,
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: functionCall('add', '{}', { id: 'fc_0', callId: 'call_1' }).item,
      },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: functionCall('add', '{"a":2}', { id: 'fc_0', callId: 'call_2' }).item,
      },
      { type: 'response.completed', response: toResponse([]) },
    ];
    expect((await read(events)).calls).toEqual([
      { id: 'call_1', name: 'add', input: '{}' },
      { id: 'call_2', name: 'add', input: '{"a":2}' },
    ]);
  });

  const repeatedItems = [
    message(['Hello']),
    reasoning({ id: 'rs_1', text: 'Plain.' }),
    functionCall('pay', '{"a":1}', { id: 'fc_1', callId: 'call_1' }),
  ];
  it.each(repeatedItems.map(script => [String(script.item.type), script] as const))(
    'are ignored: a finished %s that is announced again',
    async (_, script) => {
      const [created, ...rest] = toStream([script]);
      const events = rest.filter(({ type }) => !/^response\.(?:in_progress|completed)$/.test(String(type)));
      const end = rest.filter(({ type }) => type === 'response.completed');
      const once = await read([created, ...events, ...end] as WireEvent[]);
      expect(await read([created, ...events, ...events, ...end] as WireEvent[])).toEqual(once);
      expect(JSON.stringify(once)).toMatch(/Hello|Plain|pay/);
    },
  );

  it('cause no error after the end of the response', async () => {
    const late = { type: 'error', code: 'server_error', message: 'Too late', param: null };
    expect(await read([...toStream([message(['Hello'])]), late])).toMatchObject({
      errors: [],
      finishReason: 'stop',
    });
  });
});

describe('a truncated call', () => {
  it('waits for the end of the response even if the server marks it as completed', async () => {
    const { begun, item, deltas } = functionCall('write', '{"path":"/etc/a","text":"hel');
    const script = { begun, item, deltas: deltas.slice(0, -1) };
    const truncated = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await read(toStream([script], truncated))).toMatchObject({ calls: [], finishReason: 'length' });
  });

  it('makes the finish reason differ from `stop` even if the response is marked as completed', async () => {
    const { begun, item, deltas } = functionCall('write', '{"path":"/etc/a');
    const script = { begun, item: { ...item, status: 'incomplete' }, deltas: deltas.slice(0, -1) };
    expect(await read(toStream([script]))).toMatchObject({ calls: [], finishReason: 'other' });
  });
});
