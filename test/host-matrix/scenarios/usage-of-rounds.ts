import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

const usage = (input: number, cached: number, output: number, reasoning: number) => ({
  usage: {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { cached_tokens: cached },
    output_tokens_details: { reasoning_tokens: reasoning },
  },
});

export const usageOfRounds: Scenario = {
  name: 'usage with cached and reasoning tokens',
  async play({ run, emulator, major, version }) {
    emulator.enqueue(
      { output: [{ call: 'get-sum', arguments: { a: 1, b: 2 } }], ...usage(100, 60, 20, 15) },
      { output: [{ text: 'Done.' }], ...usage(200, 160, 10, 5) },
    );
    const { totalUsage } = await run({ prompt: 'Go.' });
    expect(totalUsage).toMatchObject({ inputTokens: 300, outputTokens: 30, totalTokens: 330 });
    if (major < 7) expect(totalUsage).toMatchObject({ cachedInputTokens: 220, reasoningTokens: 20 });
    if (major >= 6) {
      expect(totalUsage).toMatchObject({
        inputTokenDetails: { cacheReadTokens: 220 },
        outputTokenDetails: { reasoningTokens: 20 },
      });
    }
    if (version !== 'V2') {
      expect(totalUsage).toMatchObject({
        inputTokenDetails: { noCacheTokens: 80 },
        outputTokenDetails: { textTokens: 10 },
      });
    }
  },
};
