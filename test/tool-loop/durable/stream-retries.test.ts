import * as ai7 from 'ai7';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { createJournal } from '../../../src/tool-loop/durable/index.js';
import { startResponsesEmulator } from '../../../src/testing/index.js';
import { createKelivoResponsesProvider } from '../../../src/v3.js';
import { isWhole } from '../../_products.js';
import { listStores, openStore } from './_stores.js';

/** `npm test` checks the other stores with the suite of stores. */
const available = listStores().filter(({ isAvailable }, index) => isAvailable && (isWhole || index === 0));

it.each(available)(
  'runs a finished call once if `ai` 7 repeats a stream that failed, with a journal over $name',
  async ({ locate }) => {
    let runs = 0;
    const emulator = await startResponsesEmulator();
    const { store, close } = await openStore(await locate());
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      toolLoop: { journal: createJournal({ store }) },
      tools: { pay: { inputSchema: z.object({ n: z.number() }), execute: () => `paid ${++runs}` } },
    });
    // The first round is recorded. Only the second one, which was cut, is requested again.
    emulator.enqueue(
      [{ call: 'pay', callId: 'c1', arguments: { n: 1 } }],
      { fault: 'cut', after: 6, output: [{ text: 'one two three' }] },
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
      expect(emulator.requests).toHaveLength(3);
      expect(runs).toBe(1);
      expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('paid 1');
      expect(await result.finishReason).toBe('stop');
    } finally {
      await provider.close();
      await close();
      await emulator.close();
    }
  },
);
