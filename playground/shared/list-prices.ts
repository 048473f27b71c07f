import type { PriceTable } from './playground-state.js';

/** Where the prices of the first start are from, and when they were written down. They may have changed since. */
export const PRICE_SOURCE = { date: 'November 2025', url: 'https://openai.com/api/pricing' } as const;

const price = (input: number, cachedInput: number, output: number) => ({ input, cachedInput, output });

/** List prices of OpenAI, in US dollars per one million tokens. A model that is not listed has no price. */
export const listPrices: PriceTable = {
  'gpt-5.1': price(1.25, 0.125, 10),
  'gpt-5': price(1.25, 0.125, 10),
  'gpt-5-mini': price(0.25, 0.025, 2),
  'gpt-5-nano': price(0.05, 0.005, 0.4),
  'gpt-4.1': price(2, 0.5, 8),
  'gpt-4.1-mini': price(0.4, 0.1, 1.6),
  'gpt-4.1-nano': price(0.1, 0.025, 0.4),
  'gpt-4o': price(2.5, 1.25, 10),
  'gpt-4o-mini': price(0.15, 0.075, 0.6),
  o3: price(2, 0.5, 8),
  'o4-mini': price(1.1, 0.275, 4.4),
};
