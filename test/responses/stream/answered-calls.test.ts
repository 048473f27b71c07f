import { expect, it } from 'vitest';
import { serve } from '../../_server.js';
import { toSse } from '../../_sse.js';
import { modelAt, prompt } from '../_model.js';
import { functionCall, message, toStream } from './_fixtures/wire-events.js';

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
    await new Promise(resolve => setTimeout(resolve, 200));
    wasEarly = hasCall;
    response.end(toSse(events.slice(afterCall)));
  });
  const { stream } = await modelAt({ url }).doStream({ prompt });
  for await (const part of stream) hasCall ||= part.type === 'tool-call';
  expect({ hasCall, wasEarly }).toEqual({ hasCall: true, wasEarly: isEarly });
});
