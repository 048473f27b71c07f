import { expect, it } from 'vitest';
import { serve } from '../../_server.js';
import { until } from '../../tools/mcp/_fixture-server.js';
import { toSse } from '../../_sse.js';
import { modelAt, prompt } from '../_model.js';
import { readParts } from '../_read-parts.js';
import { functionCall, message, toResponse, toStream, type WireItem } from './_fixtures/wire-events.js';

const events = toStream([functionCall('lookup', '{}'), message(['Done.'])]);
const afterCall = events.findIndex(({ type }) => type === 'response.output_item.done') + 1;

it.each([
  ['at once from OpenAI', { 'openai-version': '2020-10-01' }, true],
  ['with the rest of the response from other servers', {}, false],
])('a complete call arrives %s', async (_name, headers, isEarly) => {
  let hasCall = false;
  let wasEarly = false;
  const { url } = await serve(async response => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.write(toSse(events.slice(0, afterCall)));
    await (isEarly ? until(() => hasCall) : new Promise(resolve => setTimeout(resolve, 200)));
    wasEarly = hasCall;
    response.end(toSse(events.slice(afterCall)));
  });
  const { stream } = await modelAt({ url }).doStream({ prompt });
  for await (const part of stream) hasCall ||= part.type === 'tool-call';
  expect({ hasCall, wasEarly }).toEqual({ hasCall: true, wasEarly: isEarly });
});

const of = (item: WireItem) => ({ item, begun: item, deltas: [] });
const call = functionCall('lookup', '{}', { callId: 'c1', id: 'fc_1' });
const answer = of({ type: 'function_call_output', id: 'fco_1', call_id: 'c1', output: 'sunny' });
const request = of({
  ...{ type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'docs' },
  ...{ name: 'write', arguments: '{}' },
});

const read = (items: Parameters<typeof toResponse>[0]) =>
  readParts([new TextEncoder().encode(JSON.stringify(toResponse(items)))], {
    declared: {
      names: new Set(['docs', 'lookup']),
      nameById: new Map([['openai.mcp', 'docs']]),
      undeclared: 'full',
      host: 'v4',
    },
    isKept: true,
  });

it('an approval that a server waits for keeps the turn open, although it has answered another call', async () => {
  expect((await read([call, answer, request])).at(-1)).toMatchObject({
    finishReason: { unified: 'tool-calls' },
  });
});

it('the text between a call and its answer stays in its place', async () => {
  const parts = await read([call, message(['Hm.'], { id: 'm1' }), answer]);
  const types = parts.map(part => part.type).filter(type => /tool-(call|result)|text-delta/.test(type));
  expect(types).toEqual(['tool-call', 'text-delta', 'tool-result']);
});

/** A gateway that runs the call of its first response itself, and answers in a second one in the same stream. */
const next = (items: Parameters<typeof toStream>[0]) =>
  toStream(items).map(event =>
    'response' in event ? { ...event, response: { ...(event.response as object), id: 'resp_2' } } : event,
  );
const readEvents = (later: Parameters<typeof toStream>[0]) =>
  readParts([new TextEncoder().encode(toSse([...toStream([call]), ...next(later)]))], {
    declared: { names: new Set(['lookup']), nameById: new Map(), undeclared: 'full', host: 'v4' },
  });

it.each([
  ['whose output is unknown', [], /not known/],
  ['whose output follows', [answer], /sunny/],
])(
  'a call that the server ran before another response, %s, does not run again',
  async (_name, output, result) => {
    const parts = await readEvents([...output, message(['Done.'], { id: 'm2' })]);
    const calls = parts.filter(part => part.type === 'tool-call' || part.type === 'tool-result');
    expect(calls).toMatchObject([
      { type: 'tool-call', toolCallId: 'c1', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'c1', result: expect.stringMatching(result) },
    ]);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'stop' } });
  },
);

it('a call of the last response in a stream is for the host', async () => {
  const parts = await readEvents([functionCall('lookup', '{}', { callId: 'c2', id: 'fc_2' })]);
  const own = parts.filter(part => part.type === 'tool-call' && part.providerExecuted !== true);
  expect(own).toMatchObject([{ toolCallId: 'c2' }]);
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } });
});
