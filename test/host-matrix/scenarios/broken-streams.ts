import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const brokenStreams: Scenario = {
  name: 'stream error',
  modes: ['stream'],
  async play({ run, emulator }) {
    // The second round breaks. It is requested again, and the tool of the first does not run again.
    emulator.enqueue(
      [{ text: 'One moment. ' }, { call: 'get-sum', arguments: { a: 1, b: 2 } }],
      {
        output: [{ text: 'It is three, I think.' }],
        fault: 'error-event',
        after: 6,
        message: 'Overheated.',
      },
      [{ text: 'It is three.' }],
    );
    const { text, finishReason, errors, totalUsage } = await run({ prompt: 'Go.' });
    expect(text).toMatch(/^One moment\. .*It is three\.$/);
    expect(finishReason).toBe('stop');
    expect(errors).toEqual([]);
    expect(totalUsage.totalTokens).toBeGreaterThan(0);
    expect(emulator.requests).toHaveLength(3);
  },
};
