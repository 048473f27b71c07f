import { expect, it } from 'vitest';
import { countNodes, groupEntries } from '../../../playground/web/ui/json-groups.js';

it('keeps short values as they are', () => {
  const value = { a: [1, { b: null }], c: 'text', d: [] };
  expect(groupEntries(value)).toEqual(value);
  expect(countNodes(value)).toBe(7);
});

it('divides long arrays and objects into groups of at most 100 that keep keys and order', () => {
  const rows = Array.from({ length: 250 }, (_, i) => ({ i }));
  const grouped = groupEntries({ rows }) as { rows: Record<string, Record<string, unknown>> };
  const wide = groupEntries(Object.fromEntries(rows.map(({ i }) => [`k${i}`, i]))) as object;

  expect(Object.keys(grouped.rows)).toEqual(['0 … 99', '100 … 199', '200 … 249']);
  expect(grouped.rows['200 … 249']?.['249']).toEqual({ i: 249 });
  expect(Object.keys(wide)).toEqual(['k0 … k99', 'k100 … k199', 'k200 … k249']);
});

it('divides a million entries into levels, each of which is short', () => {
  const check = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? (expect(Object.keys(value).length).toBeLessThanOrEqual(100),
        Object.values(value).reduce((sum: number, entry) => sum + check(entry), 0))
      : 1;
  expect(check(groupEntries(Array.from({ length: 200_001 }, (_, i) => i)))).toBe(200_001);
});
