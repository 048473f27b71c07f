import type { ModelPrice, TokenPrices } from '../tool-loop/context/prices.js';

export type { FallbackFailure, FallbackReason } from './fallback-reasons.js';
export { type FallbackOptions, withFallback } from './fallback.js';
export { type CalcPrice, pricesFrom, type PricesFromOptions } from './prices-from.js';
export { createRateLimitedFetch, type RateLimitOptions } from './rate-limits.js';
export type { ModelPrice, PricedModel, Prices, TokenPrices } from '../tool-loop/context/prices.js';

/** Multiplies all prices. A price that a model does not have stays missing. */
const scale = ({ longInput, ...prices }: TokenPrices, factor: number): TokenPrices => ({
  ...(Object.fromEntries(
    Object.entries(prices).map(([kind, price]) => [kind, price * factor]),
  ) as unknown as TokenPrices),
  ...(longInput !== undefined && {
    longInput: { ...scale(longInput, factor), above: longInput.above },
  }),
});

/**
 * Returns the prices of a model of OpenAI, whose inputs of 272,000 tokens and more cost twice as much, and their outputs one
 * and a half times.
 */
function longContext(prices: TokenPrices): TokenPrices {
  const longInput = { ...scale(prices, 2), output: prices.output * 1.5, above: 271_999 };
  return { ...prices, longInput };
}

/** Adds the service tiers of OpenAI: `flex` at half the price. The priority tier has no long inputs for some models. */
const withTiers = (prices: TokenPrices, priority: TokenPrices): ModelPrice => ({
  ...prices,
  tiers: { flex: scale(prices, 0.5), priority },
});

/** Adds the tiers of models whose priority tier costs twice as much. */
const doubled = (prices: TokenPrices): ModelPrice => withTiers(prices, scale(prices, 2));

/** The prices of a model with long inputs that is billed for written tokens. */
const family = (input: number, cachedInput: number, cacheWrite: number, output: number): ModelPrice =>
  doubled(longContext({ input, cachedInput, cacheWrite, output }));

/** The prices of a model of Anthropic. */
const claude = (
  input: number,
  cachedInput: number,
  cacheWrite: number,
  cacheWrite1h: number,
  output: number,
): ModelPrice => ({ input, cachedInput, cacheWrite, cacheWrite1h, output });

const opus = claude(5, 0.5, 6.25, 10, 25);

/**
 * Prices of models in US dollars per million tokens, as their providers published them. Prices change without notice: check
 * them, and set your own in their place. Fees for hosted tools, regional processing and batches are not included.
 *
 * - OpenAI: https://developers.openai.com/api/docs/pricing as of 2026-09-13.
 * - Anthropic: https://platform.claude.com/docs/en/about-claude/pricing as of 2026-09.
 *
 * @example
 * ```ts
 * const prices = { ...PRICES, 'my-model': { input: 0.5, output: 2 } };
 * ```
 */
export const PRICES: Readonly<Record<string, ModelPrice>> = {
  'gpt-6-astra': family(10, 1, 12.5, 50),
  'gpt-5.6-sol': family(4, 0.4, 5, 20),
  'gpt-5.6-terra': family(2, 0.2, 2.5, 12),
  'gpt-5.6-luna': family(0.2, 0.02, 0.25, 1.2),
  'gpt-5.5': withTiers(longContext({ input: 5, cachedInput: 0.5, output: 30 }), {
    input: 12.5,
    cachedInput: 1.25,
    output: 75,
  }),
  'gpt-5.4': withTiers(longContext({ input: 2.5, cachedInput: 0.25, output: 15 }), {
    input: 5,
    cachedInput: 0.5,
    output: 30,
  }),
  'gpt-5.4-mini': doubled({ input: 0.75, cachedInput: 0.075, output: 4.5 }),
  'gpt-5.2': doubled({ input: 1.75, cachedInput: 0.175, output: 14 }),
  'claude-fable-5-1': claude(10, 0.25, 12.5, 20, 50),
  'claude-fable-5': claude(10, 1, 12.5, 20, 50),
  'claude-opus-5': opus,
  'claude-opus-4-8': opus,
  'claude-opus-4-7': opus,
  'claude-opus-4-6': opus,
  'claude-opus-4-5': opus,
  'claude-haiku-4-5': claude(1, 0.1, 1.25, 2, 5),
};
