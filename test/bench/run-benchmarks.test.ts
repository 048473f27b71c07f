import { describe, expect, it } from 'vitest';
import { median, ratioOf } from './compare.js';
import { describeGoal, describeValue, type Figure, isMet } from './figure.js';
import { SECTIONS } from './run-benchmarks.js';
import { SMOKE } from './scale.js';
import { toTable } from './to-table.js';
import { withTable } from './write-table.js';

describe.each(Object.keys(SECTIONS))('section %s', section => {
  it('runs and reports', async () => {
    const figures = (await SECTIONS[section]?.(SMOKE)) ?? [];
    expect(figures.length).toBeGreaterThan(0);
    for (const figure of figures) expect(figure.value, figure.name).toEqual(expect.any(Number));
    const names = figures.map(({ name, rival }) => `${name} compared to ${rival}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

const figure: Figure = {
  name: 'text',
  rival: 'official model',
  value: 4.321,
  unit: 'faster',
  goal: { atLeast: 5 },
  measured: '1 ms / 4 ms',
};

it('takes the median of the ratios per sample, so that a slow moment affects both sides', () => {
  expect(ratioOf([1, 10, 2], [2, 20, 4])).toBe(0.5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

it('distinguishes missed goals, met goals and figures without a goal', () => {
  expect(isMet(figure)).toBe(false);
  expect(isMet({ ...figure, value: 5 })).toBe(true);
  expect(isMet({ ...figure, unit: 'of', goal: { atMost: 4 } })).toBe(false);
  expect(isMet({ ...figure, goal: undefined })).toBeUndefined();
});

it('formats a figure and its goal with their unit', () => {
  expect([describeValue(figure), describeGoal(figure)]).toEqual(['4.32 × faster', '≥ 5 ×']);
  const size: Figure = { ...figure, value: 51.84, unit: 'KB', goal: { atMost: 20 } };
  expect([describeValue(size), describeGoal(size)]).toEqual(['51.8 KB', '≤ 20 KB']);
});

it('shows all figures in a table, with the circumstances of the run', () => {
  const results = [{ section: 'stream', figures: [figure, { ...figure, name: 'mix', goal: undefined }] }];
  const table = toTable(results, 'Commit abc, 2026-01-01.');
  expect(table).toContain('Commit abc, 2026-01-01.');
  expect(table).toContain(
    '| stream | text | official model | 4.32 × faster | 1 ms / 4 ms | ≥ 5 × | **missed** |',
  );
  expect(table).toContain('| mix |');
});

it('writes a table between the markers of a file and rejects a file without markers', () => {
  const text = 'before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n';
  expect(withTable(text, '| new |')).toBe(
    'before\n<!-- bench:begin -->\n\n| new |\n\n<!-- bench:end -->\nafter\n',
  );
  expect(() => withTable('no markers', '| new |')).toThrow('<!-- bench:begin -->');
});
