import { streamText } from 'ai';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';

it('a slow tool does not count as silence of the server', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ call: 'sleep', arguments: {} }], [{ text: 'Rested.' }]);
  const execute = () => new Promise<string>(resolve => setTimeout(() => resolve('slept'), 400));
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    timeouts: { connect: 200, idle: 200 },
    tools: { sleep: { inputSchema: z.object({}), execute } },
  });
  onTestFinished(() => provider.close());
  const { text, finishReason } = streamText({ model: provider('gpt-5'), prompt: 'Sleep.' });
  expect(await text).toBe('Rested.');
  expect(await finishReason).toBe('stop');
});
