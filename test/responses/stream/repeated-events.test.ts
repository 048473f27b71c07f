import { describe, expect, it } from 'vitest';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, message, toResponse, toStream } from './_fixtures/wire-events.js';

const read = async (events: readonly WireEvent[]) =>
  summarize(await readParts([new TextEncoder().encode(toSse(events))]));

const begin: WireEvent = { type: 'response.created', response: { ...toResponse([]), status: 'in_progress' } };

describe('what a server says twice', () => {
  it('is said once: a second terminal event', async () => {
    const hello = [message(['Hello']), functionCall('pay', '{}')];
    const events = toStream(hello);
    const done = { type: 'response.done', response: toResponse(hello) };
    expect(await read([...events, done])).toMatchObject({ texts: ['Hello'], calls: [{ name: 'pay' }] });
  });

  it('is another text where another response of the stream says it', async () => {
    const hello = { type: 'response.completed', response: toResponse([message(['Hello'])]) };
    expect(await read([begin, hello, begin, hello])).toMatchObject({ texts: ['Hello', 'Hello'] });
  });

  it('is another call where it has another place and call id, whatever its item id is', async () => {
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

  it('is no failure after the answer has come to its end', async () => {
    const late = { type: 'error', code: 'server_error', message: 'Too late', param: null };
    expect(await read([...toStream([message(['Hello'])]), late])).toMatchObject({
      errors: [],
      finishReason: 'stop',
    });
  });
});

describe('a call that is cut', () => {
  it('waits for the end of the response, also where the server calls it completed', async () => {
    const { begun, item, deltas } = functionCall('write', '{"path":"/etc/a","text":"hel');
    const script = { begun, item, deltas: deltas.slice(0, -1) };
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await read(toStream([script], cut))).toMatchObject({ calls: [], finishReason: 'length' });
  });

  it('is no plain stop, where the response pretends to be complete', async () => {
    const { begun, item, deltas } = functionCall('write', '{"path":"/etc/a');
    const script = { begun, item: { ...item, status: 'incomplete' }, deltas: deltas.slice(0, -1) };
    expect(await read(toStream([script]))).toMatchObject({ calls: [], finishReason: 'other' });
  });
});
