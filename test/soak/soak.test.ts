import { expect, it } from 'vitest';
import { soak } from './soak.js';

it('ends every turn with a response or a clear error, and runs each call once and only if it may run', async () => {
  const { responses, errors, unclear, violations, toolRuns, callIds } = await soak({
    turns: 60,
    atOnce: 15,
    faults: 0.15,
    seed: 20_261_121,
  });
  expect({ unclear, violations }).toEqual({ unclear: [], violations: [] });
  expect(responses + Object.values(errors).reduce((sum, count) => sum + count, 0)).toBe(60);
  // Both outcomes must occur.
  expect(responses).toBeGreaterThan(20);
  expect(Object.keys(errors).length).toBeGreaterThan(0);
  expect(toolRuns).toBe(callIds);
  expect(toolRuns).toBeGreaterThan(20);
});
