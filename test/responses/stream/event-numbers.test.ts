import { expect, it } from 'vitest';
import { EventNumbers } from '../../../src/responses/stream/event-mapper.js';

const DELTA = 'response.output_text.delta';
const DONE = 'response.output_text.done';
const ADDED = 'response.output_item.added';

it.each([
  ['before a delta', ADDED, DELTA, true],
  ['after a delta', DELTA, DONE, true],
  ['before a delta of a refusal', ADDED, 'response.refusal.delta', true],
  ['between events without text', ADDED, 'response.output_item.done', false],
])('a missing number %s may have been one of text: %s, then %s', (_, first, second, hasTextGap) => {
  const numbers = new EventNumbers();
  expect(numbers.admit(first, { sequence_number: 1 })).toBe(true);
  expect(numbers.admit(second, { sequence_number: 3 })).toBe(true);
  expect([numbers.hasTextGap, numbers.isIntact]).toEqual([hasTextGap, false]);
});
