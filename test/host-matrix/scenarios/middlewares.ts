import { expect } from 'vitest';
import * as z from 'zod';
import { families } from '../../../src/adapters/index.js';
import type { Scenario } from '../_scenario.js';

export const middlewares: Scenario = {
  name: "middlewares in the host's wrapLanguageModel",
  async play({ run, sdk, wrap, createProvider, emulator }) {
    const executed: unknown[] = [];
    const weather = sdk.tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async input => {
        executed.push(input);
        return 'clear';
      },
    });
    emulator.enqueue(
      [{ text: 'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>' }],
      [{ text: 'It is clear.' }],
    );
    const provider = createProvider({ adapters: false, compatibility: 'vllm' });
    const { text, steps, errors, totalUsage } = await run({
      model: wrap(provider, 'qwen3-8b', families.qwen.middleware),
      prompt: 'What is the weather in Oslo?',
      tools: { weather },
      stopWhen: sdk.stepCountIs(3),
    });
    expect(executed).toEqual([{ city: 'Oslo' }]);
    expect({ text, errors }).toEqual({ text: 'It is clear.', errors: [] });
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.text.trim()).toBe('I look.');
    expect(totalUsage.totalTokens).toBeGreaterThan(0);
  },
};
