import { expect, it } from 'vitest';
import { soak } from './soak.js';

it('ends every turn with an answer or a clear error, and runs no call twice', async () => {
  const { answers, errors, unclear, toolRuns, callIds } = await soak({
    turns: 60,
    atOnce: 15,
    faults: 0.15,
    seed: 20_261_121,
  });
  expect(unclear).toEqual([]);
  expect(answers + Object.values(errors).reduce((sum, count) => sum + count, 0)).toBe(60);
  // Both happen, or nothing was tried.
  expect(answers).toBeGreaterThan(20);
  expect(Object.keys(errors).length).toBeGreaterThan(0);
  expect(toolRuns).toBe(callIds);
  expect(toolRuns).toBeGreaterThan(20);
}, 60_000);
