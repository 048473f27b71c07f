import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

export const mixedRounds: Scenario = {
  name: 'mixed rounds',
  async play({ run, sdk, provider, emulator, inputOf }) {
    const executed: unknown[] = [];
    const save = sdk.tool({
      description: 'Keeps a note.',
      inputSchema: z.object({ title: z.string() }),
      execute: async input => {
        executed.push(input);
        return 'saved';
      },
    });
    emulator.enqueue([
      { reasoning: 'Two at once.' },
      { call: 'get-sum', arguments: { a: 2, b: 3 } },
      { call: 'save', arguments: { title: 'Sum' } },
    ]);
    const { text, steps, errors } = await run({
      prompt: 'Use get-sum with 2 and 3 and save "Sum"',
      tools: { ...(await provider.tools()), save },
      stopWhen: sdk.stepCountIs(5),
    });
    expect(executed).toEqual([{ title: 'Sum' }]);
    expect(errors).toEqual([]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(text).toContain('The sum of 2 and 3 is 5.');
    expect(text).toContain('The tool save returned: saved');
    const outputs = inputOf(1).filter(({ type }) => type === 'function_call_output');
    expect(outputs.map(({ output }) => output)).toEqual(['The sum of 2 and 3 is 5.', 'saved']);
  },
};
