import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

export const hostTools: Scenario = {
  name: 'tools of the host',
  async play({ run, sdk, emulator }) {
    const executed: unknown[] = [];
    const weather = sdk.tool({
      description: 'Returns the weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: async input => {
        executed.push(input);
        return { sky: 'clear' };
      },
    });
    emulator.enqueue([{ call: 'weather', arguments: { city: 'Oslo' } }], [{ text: 'Clear.' }]);
    const { text, steps, errors, finishReason } = await run({
      prompt: 'What is the weather in Oslo?',
      tools: { weather },
      stopWhen: sdk.stepCountIs(5),
    });
    expect(executed).toEqual([{ city: 'Oslo' }]);
    expect({ text, errors, finishReason }).toEqual({ text: 'Clear.', errors: [], finishReason: 'stop' });
    expect(steps.map(step => step.finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.toolResults).toMatchObject([{ toolName: 'weather', output: { sky: 'clear' } }]);
  },
};
