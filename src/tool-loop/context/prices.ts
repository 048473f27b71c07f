import type { CoreCall } from '../../core/call.js';
import type { Finish, Usage } from '../../core/part.js';
import { type CoreModel, withChanges } from '../../core/source.js';
import { idOf, objectOf } from '../../core/shared/json.js';

/*
 * Costs of requests. A request whose cost cannot be computed has an unknown cost,
 * never 0, and a sum with an unknown cost is unknown.
 */

/** Prices in US dollars per million tokens. The cost of a request with tokens of a kind without a price is unknown. */
export interface TokenPrices {
  /** Input tokens that are neither read from the prompt cache nor written to it. */
  readonly input: number;
  /** Input tokens that are read from the prompt cache. */
  readonly cachedInput?: number;
  /** Input tokens that are written to the prompt cache. */
  readonly cacheWrite?: number;
  /** Input tokens that are written to the cache of Anthropic for one hour. `cacheWrite` is that for five minutes. */
  readonly cacheWrite1h?: number;
  /** Output tokens, those of the reasoning included. */
  readonly output: number;
  /** Prices of a request whose input has more than `above` tokens. They apply to all of its tokens. */
  readonly longInput?: TokenPrices & { readonly above: number };
}

/**
 * The price of a model: the prices of its tokens, with those of other service tiers by name. `reported` expects the server to
 * report the cost of each response as `usage.cost` in US dollars, as OpenRouter does.
 */
export type ModelPrice =
  (TokenPrices & { readonly tiers?: Readonly<Record<string, TokenPrices>> }) | 'reported';

/**
 * Prices by model id, or a function that returns them, for example by provider. An id that ends with `*` stands for all ids
 * that begin with it; an exact id comes first, and then the longest beginning. The id that the server returns comes before
 * the requested one.
 */
export type Prices = Readonly<Record<string, ModelPrice>> | ((model: PricedModel) => ModelPrice | undefined);

/** The model that a price is asked for. */
export interface PricedModel {
  readonly provider: string;
  readonly modelId: string;
}

/** Returns the price of a model. Undefined if it has none. */
export function priceOf(prices: Prices, model: PricedModel): ModelPrice | undefined {
  if (typeof prices === 'function') return prices(model);
  const { modelId } = model;
  if (Object.hasOwn(prices, modelId)) return prices[modelId];
  const beginnings = Object.keys(prices).filter(
    id => id.endsWith('*') && modelId.startsWith(id.slice(0, -1)),
  );
  const [longest] = beginnings.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? undefined : prices[longest];
}

/** Returns the cost of a request in US dollars, or undefined if it is unknown. @internal */
export function costOf(usage: Usage, price: ModelPrice | undefined, tier?: string): number | undefined {
  // With keys of its own (BYOK), an account also pays the model's provider: https://openrouter.ai/docs/use-cases/usage-accounting
  const reported = usage.raw?.is_byok === true ? undefined : usage.raw?.cost;
  if (typeof reported === 'number') return reported;
  if (price === undefined || price === 'reported') return undefined;
  const ofTier = tier === undefined ? price : price.tiers?.[tier];
  const input = usage.inputTokens.total;
  if (ofTier === undefined || input === undefined) return undefined;
  const { longInput } = ofTier;
  const prices = longInput !== undefined && input > longInput.above ? longInput : ofTier;
  const { cacheRead = 0, cacheWrite = 0 } = usage.inputTokens;
  const hourly = objectOf(usage.raw?.cache_creation)?.ephemeral_1h_input_tokens;
  const writtenForHour = typeof hourly === 'number' ? hourly : 0;
  const costs = [
    times(input - cacheRead - cacheWrite, prices.input),
    times(cacheRead, prices.cachedInput),
    times(cacheWrite - writtenForHour, prices.cacheWrite),
    times(writtenForHour, prices.cacheWrite1h),
    times(usage.outputTokens.total, prices.output),
  ];
  let sum = 0;
  for (const cost of costs) {
    if (cost === undefined) return undefined;
    sum += cost;
  }
  return sum / 1e6;
}

/** Counts below zero are of a server whose input does not contain the cached tokens, so that the parts are unknown. */
const times = (count: number | undefined, price: number | undefined): number | undefined =>
  count === 0 ? 0 : count === undefined || count < 0 || price === undefined ? undefined : count * price;

/** Names of the tier whose prices are those of the model. */
const STANDARD_TIERS: readonly (string | undefined)[] = ['auto', 'default', 'standard', undefined];

/** Returns the service tier of a response as the server reports it, or as it was requested. Undefined for the standard one. */
function tierOf(finish: Finish, call: CoreCall): string | undefined {
  const tiers = [
    ...Object.values(finish.providerMetadata ?? {}).map(entry => entry.serviceTier),
    finish.usage.raw?.service_tier,
    call.own.serviceTier,
    ...Object.values(call.providerOptions ?? {}).map(option => option.serviceTier),
  ];
  const tier = tiers.map(idOf).find(name => name !== undefined);
  // The API serves `fast` as `priority`: https://platform.openai.com/docs/api-reference/responses/create
  return STANDARD_TIERS.includes(tier) ? undefined : tier === 'fast' ? 'priority' : tier;
}

/** Adds the cost to the usage of each response. A model without a price gives one warning. */
export function withPrices(model: CoreModel, prices: Prices): CoreModel {
  const { provider, modelId } = model;
  let hasWarned = priceOf(prices, { provider, modelId }) !== undefined;
  return withChanges(model, call => {
    let returnedId: string | undefined;
    const priced = (finish: Finish): Finish => {
      if (finish.usage.cost !== undefined) return finish;
      const answered = objectOf(finish.own?.answeredBy);
      const requested = {
        provider: idOf(answered?.provider) ?? provider,
        modelId: idOf(answered?.modelId) ?? modelId,
      };
      const returned =
        returnedId === undefined ? undefined : priceOf(prices, { ...requested, modelId: returnedId });
      const cost = costOf(finish.usage, returned ?? priceOf(prices, requested), tierOf(finish, call));
      if (cost === undefined) return finish;
      return { ...finish, usage: { ...finish.usage, cost }, own: { ...finish.own, cost } };
    };
    return {
      response: {
        part(part, emit) {
          if (part.type === 'stream-start' && !hasWarned) {
            hasWarned = true;
            const message = `\`prices\` has no price of the model "${modelId}", so that its cost is unknown.`;
            return emit({ ...part, warnings: [...part.warnings, { type: 'other', message }] });
          }
          if (part.type === 'response-metadata') returnedId = part.modelId ?? returnedId;
          emit(part.type === 'finish' ? priced(part) : part);
        },
      },
    };
  });
}
