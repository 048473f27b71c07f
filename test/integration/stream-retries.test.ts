import * as ai7 from 'ai7';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { createKelivoResponsesProvider } from '../../src/v3/index.js';

it('runs a finished call once if `ai` 7 repeats a stream that failed, given a turn id and a result store', async () => {
  let runs = 0;
  const emulator = await startResponsesEmulator();
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    toolLoop: { resultStore: new Map() },
    tools: { pay: { inputSchema: z.object({ n: z.number() }), execute: () => `paid ${++runs}` } },
  });
  const call = { call: 'pay', callId: 'c1', arguments: { n: 1 } };
  emulator.enqueue(
    [call],
    { fault: 'cut', after: 6, output: [{ text: 'one two three' }] },
    [call],
    [{ text: 'Paid.' }],
  );
  try {
    const result = ai7.streamText({
      model: provider('gpt-5'),
      prompt: 'Pay.',
      streamRetries: 1,
      onError: () => undefined,
      providerOptions: { kelivo: { turnId: 'turn-1' } },
    });
    await result.consumeStream();
    expect(emulator.requests).toHaveLength(4);
    expect(runs).toBe(1);
    expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('paid 1');
    expect(await result.finishReason).toBe('stop');
  } finally {
    await provider.close();
    await emulator.close();
  }
});
