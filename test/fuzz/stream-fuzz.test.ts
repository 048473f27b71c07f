import { expect, it } from 'vitest';
import { fuzzStreams } from './stream-fuzz.js';

it('survives thousands of broken streams, and takes none that lost its end for a whole one', async () => {
  const { outcomes, failures } = await fuzzStreams({ runs: 3000, seed: 20_261_121 });
  expect(failures).toEqual([]);
  // The mutations reach every way a stream can end.
  for (const kind of ['stop', 'tool-calls', 'error', 'rejected']) expect(outcomes[kind]).toBeGreaterThan(50);
}, 60_000);
