import type { CoreCall } from '../../../core/call.js';
import { totalOf } from '../../../core/finish.js';
import { KelivoError } from '../../../core/shared/errors.js';
import { type Prices, priceOf } from '../../context/prices.js';
import { toArgumentError } from '../../durable/steps.js';
import type { CreateFeature, ReachedLimit } from '../feature.js';

/** Options of a tool loop that limit the cost and the tokens of its turns. */
export interface BudgetOptions {
  /**
   * Maximum cost of one turn in US dollars. When it is reached, the next request is sent with `tool_choice: none`, so that the
   * model responds with the results so far; that request comes on top. A model without a price in `prices` is refused, and a
   * round whose cost turns out to be unknown ends the calling of tools.
   * @default no limit
   */
  maxCost?: number;
  /**
   * Maximum number of tokens of one turn, input and output of all rounds. When it is reached, or when the server does not
   * report the tokens of a round, the next request is sent with `tool_choice: none`.
   * @default no limit
   */
  maxTokens?: number;
}

/**
 * Limits a turn in money and tokens.
 *
 * @throws InvalidArgumentError for a limit of the call that is not a positive number; KelivoError with code
 *   `invalid-settings` for a `maxCost` without a price of the model.
 */
export const createBudget: CreateFeature<BudgetOptions & { readonly prices?: Prices }> = (
  { call: { own }, model, record },
  { prices = {}, ...limits },
) => {
  const maxCost = limitOf(own, 'maxCost') ?? limits.maxCost;
  const maxTokens = limitOf(own, 'maxTokens') ?? limits.maxTokens;
  if (maxCost === undefined && maxTokens === undefined) return undefined;
  if (maxCost !== undefined && priceOf(prices, model) === undefined) {
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected \`prices\` to have a price of the model "${model.modelId}", because \`maxCost\` is set. ` +
        `Add it to \`prices\`, as "reported" if the server reports the cost, or omit \`maxCost\`.`,
    });
  }
  const limit = (): ReachedLimit | undefined => {
    const sum = record.usage;
    const tokens = totalOf(sum);
    if (maxCost !== undefined && !(sum.cost !== undefined && sum.cost < maxCost)) {
      const reason =
        sum.cost === undefined
          ? `the cost of a round is unknown, so that the limit of $${maxCost} cannot be checked (maxCost).`
          : `the limit of $${maxCost} for the turn is reached (maxCost).`;
      return { limit: 'max-cost', reason };
    }
    if (maxTokens !== undefined && !(tokens !== undefined && tokens < maxTokens)) {
      const reason =
        tokens === undefined
          ? `the tokens of a round are unknown, so that the limit of ${maxTokens} cannot be checked (maxTokens).`
          : `the limit of ${maxTokens} tokens for the turn is reached (maxTokens).`;
      return { limit: 'max-tokens', reason };
    }
    return undefined;
  };
  return { limit };
};

function limitOf(own: CoreCall['own'], name: 'maxCost' | 'maxTokens'): number | undefined {
  const value = own[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value > 0) return value;
  throw toArgumentError(name, 'a number above 0');
}
