import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { streamText } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { respondWith } from '../bench/_transport.js';
import { functionCall, message, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { toSse } from '../_sse.js';
import { gate } from './_tools.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const answerWith = (item: ReturnType<typeof message>) =>
  respondWith(new TextEncoder().encode(toSse(toStream([item]))));

/* A server of many users holds as many turns as wait for a response. */
it('lets go of what has read a response while the turn waits for the next one', async () => {
  const { opened: isWaiting, open: waits } = gate();
  const { opened: mayAnswer, open: answer } = gate();
  const bodies: WeakRef<object>[] = [];
  /** Signals of requests, which an application may keep. */
  const signals: unknown[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: 'http://127.0.0.1:9/v1',
    apiKey: 'sk-test',
    tools: { look_up: { inputSchema: z.object({}), execute: () => 'sunny' } },
    async fetch(input, init) {
      signals.push(init?.signal);
      if (bodies.length > 0) {
        waits();
        await mayAnswer;
        return answerWith(message(['It is sunny.']))(input, init);
      }
      const response = await answerWith(functionCall('look_up', '{}'))(input, init);
      if (response.body !== null) bodies.push(new WeakRef(response.body));
      return response;
    },
  });

  const result = streamText({ model: provider('gpt-4.1'), prompt: 'How is the weather?' });
  const text = Promise.resolve(result.text);
  await isWaiting;
  await expect
    .poll(() => {
      collectGarbage();
      return bodies[0]?.deref() === undefined;
    })
    .toBe(true);
  answer();
  expect(await text).toBe('It is sunny.');
  expect(signals).toHaveLength(2);
});
