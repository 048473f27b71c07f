import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const text: Scenario = {
  name: 'text',
  async play({ run, emulator }) {
    const { text, finishReason, errors, steps, totalUsage } = await run({ prompt: 'Hello' });
    expect({ text, finishReason, errors }).toEqual({
      text: 'You said: Hello',
      finishReason: 'stop',
      errors: [],
    });
    expect(steps).toHaveLength(1);
    expect(totalUsage.totalTokens).toBeGreaterThan(0);
    expect(emulator.requests).toHaveLength(1);
  },
};
