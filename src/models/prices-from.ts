import type { ModelPrice, PricedModel, TokenPrices } from '../tool-loop/context/prices.js';

/** A price of a kind of tokens, in US dollars per million: the same for all requests, or higher from a length of the input on. */
type KindPrice =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };

/** The part of `calcPrice` of `@pydantic/genai-prices` that is used here. */
export type CalcPrice = (
  usage: Record<string, number>,
  modelId: string,
  options?: { providerId?: string },
) => { readonly model_price: Readonly<Record<string, KindPrice | undefined>> } | null;

/** Options of `pricesFrom`. */
export interface PricesFromOptions {
  /** The provider whose prices apply, by its id in that package, such as `openai`. @default the one that the model id matches */
  providerId?: string;
}

/**
 * Returns the prices of `@pydantic/genai-prices`, a maintained table of many vendors, for the option `prices`. The package is
 * the application's: install it, and pass its `calcPrice`. Prices that it updates while the application runs apply to the next
 * request. It has no prices of service tiers, so that the cost of a request in another tier than the standard one is unknown.
 *
 * @example
 * ```ts
 * import { calcPrice } from '@pydantic/genai-prices';
 *
 * const provider = createKelivoResponsesProvider({ toolLoop: { prices: pricesFrom(calcPrice) } });
 * ```
 *
 * @see https://github.com/pydantic/genai-prices
 */
export function pricesFrom(
  calcPrice: CalcPrice,
  { providerId }: PricesFromOptions = {},
): (model: PricedModel) => ModelPrice | undefined {
  return model => {
    const found = calcPrice({}, model.modelId, providerId === undefined ? {} : { providerId });
    return found === null ? undefined : toPrice(found.model_price);
  };
}

/** The fields of our prices, by the names of the package. */
const KINDS: Readonly<Record<string, Exclude<keyof TokenPrices, 'longInput'>>> = {
  input_mtok: 'input',
  cache_read_mtok: 'cachedInput',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWrite1h',
  output_mtok: 'output',
};

/** Returns undefined for prices with several steps, which have no form here: a cost is unknown rather than wrong. */
function toPrice(prices: Readonly<Record<string, KindPrice | undefined>>): ModelPrice | undefined {
  const kinds = Object.entries(KINDS).flatMap(([theirs, kind]) => {
    const price = prices[theirs];
    return price === undefined ? [] : [{ kind, price }];
  });
  const starts = new Set(
    kinds.flatMap(kind => (typeof kind.price === 'number' ? [] : kind.price.tiers.map(tier => tier.start))),
  );
  if (starts.size > 1) return undefined;
  const [above] = starts;
  const ordinary = toTokenPrices(
    kinds.map(entry => [entry.kind, typeof entry.price === 'number' ? entry.price : entry.price.base]),
  );
  if (ordinary === undefined || above === undefined) return ordinary;
  const long = toTokenPrices(
    kinds.map(({ kind, price }) => [
      kind,
      typeof price === 'number' ? price : (price.tiers[0]?.price ?? price.base),
    ]),
  );
  return long && { ...ordinary, longInput: { ...long, above } };
}

function toTokenPrices(kinds: readonly (readonly [string, number])[]): TokenPrices | undefined {
  const { input, output, ...others }: Partial<TokenPrices> = Object.fromEntries(kinds);
  return input === undefined || output === undefined ? undefined : { ...others, input, output };
}
