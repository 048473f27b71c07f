import type { Usage } from '../../shared/trace-event.js';

const counts = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'reasoningTokens',
  'cachedInputTokens',
] as const satisfies readonly (keyof Usage)[];

/** The sum of what is known; a count that nobody gave stays unknown. */
export const sumUsage = (usages: readonly Usage[]): Usage =>
  Object.fromEntries(
    counts.flatMap(name => {
      const known = usages.map(usage => usage[name]).filter(count => count !== undefined);
      return known.length > 0 ? [[name, known.reduce((sum, count) => sum + count, 0)]] : [];
    }),
  );
