import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const reasoningEffort: Scenario = {
  name: 'reasoning and its effort',
  async play({ run, major, emulator }) {
    const effort =
      major === 7 ? { reasoning: 'low' } : { providerOptions: { openai: { reasoningEffort: 'low' } } };
    const { steps } = await run({ prompt: 'Hello', ...effort });
    expect(emulator.requests[0]?.body).toMatchObject({ reasoning: { effort: 'low' } });

    const options = { prompt: 'Hello', providerOptions: { openai: { reasoningSummary: 'auto' } } };
    const step = (await run(options)).steps[0] as unknown as { reasoningText?: string };
    expect(step.reasoningText).toContain('I have what I need');
    expect(steps).toHaveLength(1);
  },
};
