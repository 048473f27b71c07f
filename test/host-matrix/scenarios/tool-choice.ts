import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const toolChoice: Scenario = {
  name: 'tool choice',
  async play({ run, provider, emulator }) {
    const tools = await provider.tools();
    const prompt = 'Use get-sum with 2 and 3';
    // Since `ai@6`, hosts treat any tool part as a violation of `none`.
    emulator.enqueue([{ call: 'get-sum', arguments: { a: 2, b: 3 } }]);
    const none = await run({ prompt, tools, toolChoice: 'none' });
    expect(none.errors).toEqual([]);
    expect(none.steps[0]?.toolCalls).toEqual([]);

    const required = await run({ prompt, tools, toolChoice: 'required' });
    expect(required).toMatchObject({ text: expect.stringContaining('is 5.'), errors: [] });
    const named = await run({ prompt: 'Go.', tools, toolChoice: { type: 'tool', toolName: 'echo' } });
    expect(named.errors).toEqual([]);
    expect(named.steps[0]?.toolCalls).toMatchObject([{ toolName: 'echo', providerExecuted: true }]);
  },
};
