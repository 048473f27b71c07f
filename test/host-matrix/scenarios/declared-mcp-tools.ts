import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const declaredMcpTools: Scenario = {
  name: 'MCP rounds, declared tools',
  async play({ run, provider, emulator, inputOf }) {
    const tools = await provider.tools();
    const prompt = 'get-sum 1 and 2, then get-sum 3 and 4';
    const { text, steps, errors, finishReason } = await run({ prompt, tools });
    expect(text).toMatch(/1 and 2 is 3\.\n.*3 and 4 is 7\./);
    expect({ errors, finishReason }).toEqual({ errors: [], finishReason: 'stop' });
    expect(steps).toHaveLength(1);
    expect(steps[0]?.toolCalls).toMatchObject([
      { toolName: 'get-sum', input: { a: 1, b: 2 }, providerExecuted: true },
      { toolName: 'get-sum', input: { a: 3, b: 4 }, providerExecuted: true },
    ]);
    expect(steps[0]?.toolCalls.map(({ dynamic }) => dynamic === true)).toEqual([false, false]);
    expect(steps[0]?.toolResults).toMatchObject([
      { output: 'The sum of 1 and 2 is 3.' },
      { output: 'The sum of 3 and 4 is 7.' },
    ]);
    expect(emulator.requests).toHaveLength(3);
    expect(inputOf(2).at(-1)).toMatchObject({
      type: 'function_call_output',
      output: 'The sum of 3 and 4 is 7.',
    });
  },
};
