import { expect, it } from 'vitest';
import { createIncrementalJson } from '../../../src/responses/request/turn-memory.js';

const [a, b, c] = [{ text: 'a "quoted" text' }, { text: 'b', more: undefined }, { text: 'c' }];

it.each([
  ['that grow', [[a], [a, b], [a, b, c]]],
  [
    'that stay the same',
    [
      [a, b],
      [a, b],
    ],
  ],
  ['that shrink', [[a, b, c], [a]]],
  [
    'with another beginning',
    [
      [a, b],
      [c, b],
      [c, b, a],
    ],
  ],
  [
    'with an inserted item',
    [
      [a, c],
      [a, b, c],
    ],
  ],
  ['that begin empty', [[], [a], []]],
])('serializes lists %s like `JSON.stringify`', (_, lists) => {
  const toJson = createIncrementalJson();
  for (const list of lists) expect(toJson(list)).toBe(JSON.stringify(list));
});

it('serializes an item once', () => {
  let written = 0;
  const counted = { toJSON: () => ({ written: ++written }) };
  const toJson = createIncrementalJson();
  toJson([counted]);
  expect(toJson([counted, a])).toBe(`[{"written":1},${JSON.stringify(a)}]`);
});

it('supports changes to a list between calls', () => {
  const toJson = createIncrementalJson();
  const list: object[] = [a];
  toJson(list);
  list.push(b);
  expect(toJson(list)).toBe(JSON.stringify([a, b]));
});
