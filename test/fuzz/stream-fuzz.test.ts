import { expect, it } from 'vitest';
import { fuzzStreams } from './stream-fuzz.js';

it('handles thousands of broken streams, and never treats a truncated stream as complete', async () => {
  const { outcomes, failures } = await fuzzStreams({ runs: 3000, seed: 20_261_121 });
  expect(failures).toEqual([]);
  // The mutations produce every way in which a stream can end.
  for (const kind of ['stop', 'tool-calls', 'error', 'rejected']) expect(outcomes[kind]).toBeGreaterThan(50);
});
