import { isPlainObject, type JSONObject } from './shared/json.js';
import type { Finish, FinishReason, Usage } from './part.js';

/** Returns a reason as one word, as events and traces contain it. */
export const toReasonText = (finishReason: FinishReason): string =>
  finishReason.unified === 'interrupted' ? 'unknown' : finishReason.unified;

export const NO_USAGE: Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The end of a response that ended without a `finish` part. */
export const NO_FINISH: Finish = {
  type: 'finish',
  finishReason: { unified: 'interrupted', raw: undefined },
  usage: NO_USAGE,
};

/** Token counts as a server reports them: totals, and the parts of them that it knows. */
export type TokenCounts = Readonly<
  Partial<Record<'input' | 'cacheRead' | 'cacheWrite' | 'output' | 'reasoning' | 'total', number>>
> & { readonly raw?: JSONObject | undefined };

/** Creates a usage. The tokens without a cache and those of the text are the rest of the totals. */
export const toUsage = ({
  input,
  cacheRead,
  cacheWrite,
  output,
  reasoning,
  total,
  raw,
}: TokenCounts): Usage => ({
  inputTokens: {
    total: input,
    noCache: subtract(subtract(input, cacheRead), cacheWrite ?? 0),
    cacheRead,
    cacheWrite,
  },
  outputTokens: { total: output, text: subtract(output, reasoning), reasoning },
  ...(total !== undefined && { total }),
  ...(raw !== undefined && { raw }),
});

const subtract = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined ? undefined : total - part;

/** Returns all tokens of a usage: the server's count, or the sum of input and output. */
export const totalOf = (usage: Usage): number | undefined =>
  usage.total ??
  (usage.inputTokens.total === undefined || usage.outputTokens.total === undefined
    ? undefined
    : usage.inputTokens.total + usage.outputTokens.total);

/**
 * Adds a usage to the one before it, if there is one. Counts that are missing on both sides stay undefined. A cost that is unknown
 * on one side makes the sum unknown.
 */
export function addUsage(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  const raw = a.raw === undefined ? b.raw : b.raw === undefined ? a.raw : addCounts(a.raw, b.raw);
  const total = a.total === undefined && b.total === undefined ? undefined : add(totalOf(a), totalOf(b));
  return {
    inputTokens: {
      total: add(a.inputTokens.total, b.inputTokens.total),
      noCache: add(a.inputTokens.noCache, b.inputTokens.noCache),
      cacheRead: add(a.inputTokens.cacheRead, b.inputTokens.cacheRead),
      cacheWrite: add(a.inputTokens.cacheWrite, b.inputTokens.cacheWrite),
    },
    outputTokens: {
      total: add(a.outputTokens.total, b.outputTokens.total),
      text: add(a.outputTokens.text, b.outputTokens.text),
      reasoning: add(a.outputTokens.reasoning, b.outputTokens.reasoning),
    },
    ...(total !== undefined && { total }),
    ...(raw !== undefined && { raw }),
    ...(a.cost !== undefined && b.cost !== undefined && { cost: a.cost + b.cost }),
  };
}

const add = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b;

/** Adds the numbers of two objects at every level. Of other values, the later one counts. */
function addCounts(a: JSONObject, b: JSONObject): JSONObject {
  const sum: JSONObject = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const counted = a[name];
    if (typeof counted === 'number' && typeof value === 'number') sum[name] = counted + value;
    else if (isPlainObject(counted) && isPlainObject(value))
      sum[name] = addCounts(counted as JSONObject, value as JSONObject);
    else if (value !== undefined) sum[name] = value;
  }
  return sum;
}

/** The token counts of a round in an event, the same for every version of `ai`. */
export interface RoundUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
  /** Output tokens of the reasoning. @default unknown */
  readonly reasoningTokens?: number;
  /** Input tokens that were read from the prompt cache. @default unknown */
  readonly cachedInputTokens?: number;
  /** Input tokens that were written to the prompt cache. @default unknown */
  readonly cacheWriteInputTokens?: number;
  /** The cost in US dollars, by the option `prices` or as the server reported it. @default unknown */
  readonly cost?: number;
  /** The usage as the server reported it. @default unknown */
  readonly raw?: JSONObject;
}

/** Returns a usage as events and the metadata of rounds contain it. */
export function toRoundUsage(usage: Usage): RoundUsage {
  const { cacheRead, cacheWrite } = usage.inputTokens;
  const { reasoning } = usage.outputTokens;
  return {
    inputTokens: usage.inputTokens.total,
    outputTokens: usage.outputTokens.total,
    totalTokens: totalOf(usage),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(cacheRead !== undefined && { cachedInputTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteInputTokens: cacheWrite }),
    ...(usage.cost !== undefined && { cost: usage.cost }),
    ...(usage.raw !== undefined && { raw: usage.raw }),
  };
}
