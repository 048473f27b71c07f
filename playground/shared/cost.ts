import type { ModelPrice, PriceTable } from './playground-state.js';
import type { TurnUsage, Usage } from './trace-event.js';
import type { Trace, TraceRound } from './trace.js';

/** US dollars of those turns whose tokens and prices are known. */
export interface Cost {
  readonly amount: number;
  /** True if some of the turns have reported only a part of their tokens. */
  readonly isPartial: boolean;
  /** Number of turns whose model has no price, or which have not reported their tokens. */
  readonly unknown: number;
}

/** Reads the tokens of a turn from its trace. */
function toTurnUsage({ modelId, usage, rounds }: Trace): TurnUsage {
  if (usage?.inputTokens !== undefined || usage?.outputTokens !== undefined)
    return { modelId, usage, isPartial: false };
  const reported = rounds.flatMap(round => round.usage ?? []);
  return { modelId, ...(reported.length > 0 && { usage: sumUsage(reported) }), isPartial: true };
}

/** The endpoint of turns that ran in the emulator begins with it. */
const EMULATOR = 'emulator';

/**
 * Reads the tokens that somebody pays for, by model: a tool of an application can ask another one. Nobody pays for those of
 * the emulator.
 */
export function toTurnUsages(trace: Trace): readonly TurnUsage[] {
  const { modelId, rounds, endpoint } = trace;
  if (endpoint?.startsWith(EMULATOR)) return [];
  const isOther = (round: TraceRound): boolean => round.modelId !== undefined && round.modelId !== modelId;
  const others = rounds.filter(isOther);
  const turn = toTurnUsage(trace);
  if (others.length === 0) return [turn];
  const own = rounds.flatMap(round => (isOther(round) ? [] : (round.usage ?? [])));
  return [
    { ...turn, usage: sumUsage(own) },
    ...others.map(round => ({ modelId: round.modelId, usage: round.usage, isPartial: false })),
  ];
}

/** Adds the costs of turns. Turns without a price are counted, and never cost 0. */
export function toCost(turns: readonly TurnUsage[], prices: PriceTable): Cost {
  const known = turns.flatMap(turn => {
    const amount = priceOf(turn, prices);
    return amount === undefined ? [] : [{ amount, isPartial: turn.isPartial }];
  });
  return {
    amount: known.reduce((sum, { amount }) => sum + amount, 0),
    isPartial: known.some(({ isPartial }) => isPartial),
    unknown: turns.length - known.length,
  };
}

function priceOf({ modelId, usage }: TurnUsage, prices: PriceTable): number | undefined {
  const price: ModelPrice | undefined =
    modelId !== undefined && Object.hasOwn(prices, modelId) ? prices[modelId] : undefined;
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0 } = usage ?? {};
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
  const sum = (inputTokens - cached) * price.input + cached * price.cachedInput + outputTokens * price.output;
  return sum / 1_000_000;
}

const counts = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'reasoningTokens',
  'cachedInputTokens',
] as const satisfies readonly (keyof Usage)[];

/** Adds token counts. A count that is missing everywhere stays undefined. */
export const sumUsage = (usages: readonly Usage[]): Usage =>
  Object.fromEntries(
    counts.flatMap(name => {
      const known = usages.map(usage => usage[name]).filter(count => count !== undefined);
      return known.length > 0 ? [[name, known.reduce((sum, count) => sum + count, 0)]] : [];
    }),
  );

/** `$0.0123`, `at least $0.0123`, `$0.0123 + 2 without price`, `no price`, or `no cost` if nobody pays for the turns. */
export function formatCost(turns: readonly TurnUsage[], prices: PriceTable): string {
  const { amount, isPartial, unknown } = toCost(turns, prices);
  if (turns.length === 0) return 'no cost';
  if (unknown >= turns.length) return 'no price';
  return formatAmount(amount, { isPartial, unknown });
}

/** Formats US dollars. */
export function formatAmount(
  amount: number,
  { isPartial = false, unknown = 0 }: Partial<Omit<Cost, 'amount'>> = {},
): string {
  // Four significant digits of small amounts, whole cents of large ones.
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(8, 3 - Math.floor(Math.log10(amount)));
  return [
    isPartial ? 'at least ' : '',
    `$${amount.toFixed(digits)}`,
    unknown > 0 ? ` + ${unknown} without price` : '',
  ].join('');
}
