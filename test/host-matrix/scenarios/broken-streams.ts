import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const brokenStreams: Scenario = {
  name: 'stream error',
  modes: ['stream'],
  async play({ run, emulator }) {
    // The second round fails. After a tool has run, the host retries nothing.
    emulator.enqueue([{ text: 'One moment. ' }, { call: 'get-sum', arguments: { a: 1, b: 2 } }], {
      output: [{ text: 'It is three, I think.' }],
      fault: 'error-event',
      after: 6,
      message: 'Overheated.',
    });
    const { text, finishReason, errors, totalUsage } = await run({ prompt: 'Go.' });
    expect(text).toMatch(/^One moment\. /);
    expect(finishReason).toBe('error');
    expect(errors).toMatchObject([
      { name: 'AI_APICallError', message: expect.stringContaining('Overheated.') },
    ]);
    expect(totalUsage.totalTokens).toBeGreaterThan(0);
    expect(emulator.requests).toHaveLength(2);
  },
};
