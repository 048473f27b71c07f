import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration, formatNumberOf } from '../../../playground/web/ui/format.js';
import { shortenPaths } from '../../../playground/web/ui/format.js';
import { sumUsage } from '../../../playground/shared/cost.js';

describe('numbers and names', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1250, '1.25 s'],
    [12_340, '12.3 s'],
    [65_000, '1 min 5 s'],
  ])('formats %d milliseconds as %s', (milliseconds, expected) => {
    expect(formatDuration(milliseconds)).toBe(expected);
  });

  it('formats counts with a noun', () => {
    expect([1, 2, 1000].map(count => formatNumberOf(count, 'round'))).toEqual([
      '1 round',
      '2 rounds',
      '1,000 rounds',
    ]);
  });

  it('formats the age of a time', () => {
    const now = Date.parse('2026-01-02T12:00:00Z');
    const ages = [
      '2026-01-02T11:59:30Z',
      '2026-01-02T11:55:00Z',
      '2026-01-02T09:00:00Z',
      '2025-12-24T12:00:00Z',
    ];

    expect(ages.map(time => formatAge(time, { now }))).toEqual([
      'just now',
      '5 min ago',
      '3 h ago',
      '24 Dec 2025',
    ]);
  });

  it('adds token counts and omits unknown ones', () => {
    expect(sumUsage([{ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3 }])).toEqual({
      inputTokens: 4,
      outputTokens: 2,
    });
  });

  it('keeps the ends of long paths and does not change URLs', () => {
    expect(shortenPaths('node /home/a/node_modules/server/dist/index.js --in /data')).toBe(
      'node …/server/dist/index.js --in /data',
    );
    expect(shortenPaths('https://example.com/a/b/c/d/e/f')).toBe('https://example.com/a/b/c/d/e/f');
  });
});
