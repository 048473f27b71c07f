import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const finishReasons: Scenario = {
  name: 'finish reasons',
  async play({ run, emulator, version }) {
    emulator.enqueue(
      { output: [{ text: 'Once upon a time' }], incomplete: 'max_output_tokens' },
      { output: [{ text: 'Once upon' }], incomplete: 'content_filter' },
    );
    const long = await run({ prompt: 'Tell me.' });
    expect(long).toMatchObject({ finishReason: 'length', errors: [] });
    expect(await run({ prompt: 'Tell me.' })).toMatchObject({ finishReason: 'content-filter' });
    if (version !== 'V2') expect(long.steps[0]?.rawFinishReason).toBe('max_output_tokens');
  },
};
