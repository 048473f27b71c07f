import { streamText } from 'ai';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';

it('does not count the time of a slow tool as idle time of the server', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ call: 'sleep', arguments: {} }], [{ text: 'Rested.' }]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const execute = async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    return 'slept';
  };
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    timeouts: { idle: 1000 },
    tools: { sleep: { inputSchema: z.object({}), execute } },
  });
  onTestFinished(() => provider.close());
  const { text, finishReason } = streamText({ model: provider('gpt-5'), prompt: 'Sleep.' });
  expect(await text).toBe('Rested.');
  expect(await finishReason).toBe('stop');
});
