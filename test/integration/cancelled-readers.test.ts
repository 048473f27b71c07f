import { streamText } from 'ai7';
import { jsonSchema } from 'ai';
import { expect, it } from 'vitest';
import type { ToolLoopEvent } from '../../src/index.js';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { serve } from '../_server.js';
import { gate } from '../tool-loop/_tools.js';
import { toSse } from '../_sse.js';

const place = { output_index: 0, item_id: 'msg_1', content_index: 0 };
const message = { type: 'message', id: 'msg_1', role: 'assistant' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'write', arguments: '{}' };

/** More deltas than a host reads ahead. */
const text = Array.from({ length: 100 }, (_, index) => `${index} `);
const beginning = [
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
  ...text.map(delta => ({ type: 'response.output_text.delta', ...place, delta })),
];
const output = [
  {
    ...message,
    status: 'completed',
    content: [{ type: 'output_text', text: text.join(''), annotations: [] }],
  },
  { ...call, status: 'completed' },
];
const ending = [
  { type: 'response.output_item.done', output_index: 0, item: output[0] },
  { type: 'response.output_item.added', output_index: 1, item: { ...call, status: 'in_progress' } },
  { type: 'response.output_item.done', output_index: 1, item: output[1] },
  {
    type: 'response.completed',
    response: { id: 'resp_1', status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 } },
  },
];

it('30 readers of `ai` 7 that cancel leave no effect, no open connection and no turn that is not reported', async () => {
  // Every second response has no end, so that only the client can close its connection.
  const server = await serve((response, { body }) => {
    const isWhole = JSON.stringify(body).includes('whole');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(toSse(beginning));
    if (isWhole) response.end(toSse(ending));
  });
  let effects = 0;
  const outcomes: string[] = [];
  const ended = gate<void>();
  const onEvent = (event: ToolLoopEvent): void => {
    if (event.type !== 'turn-end') return;
    outcomes.push(event.outcome);
    if (outcomes.length === 30) ended.open();
  };
  const provider = createKelivoResponsesProvider({
    baseURL: server.url,
    timeouts: { unread: 500 },
    tools: { write: { inputSchema: jsonSchema({ type: 'object' }), execute: () => `${++effects}` } },
    toolLoop: { onEvent },
  });
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const prompt = index % 2 === 0 ? 'a whole response' : 'the beginning of a response';
      const { fullStream } = streamText({ model: provider('m'), prompt, onError: () => {} });
      const reader = fullStream.getReader();
      for (let reads = 0; reads < index; reads++) await reader.read();
      await reader.cancel();
    }),
  );
  await ended.opened;
  expect(new Set(outcomes)).toEqual(new Set(['aborted']));
  expect(effects).toBe(0);
  expect(server.requests).toHaveLength(30);
  // Resolves for each connection that closes.
  await Promise.all(server.requests.map(({ closed }) => closed));
  await provider.close();
});
