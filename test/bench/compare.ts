import { createRandom } from '../_chunking.js';

export interface Contender {
  /** Does the work once. Returns its cost if that is neither of the times in `CompareOptions`. */
  (): Promise<number | void>;
}

export interface CompareOptions {
  readonly samples: number;
  readonly warmUp: number;
  /**
   * `clock` measures elapsed time, `processor` the CPU time of the process. CPU time is fairer on a busy machine for work
   * that waits for nothing.
   * @default 'clock'
   */
  readonly time?: 'clock' | 'processor';
}

/** The costs of each contender by sample. Costs with the same index were measured in the same round. */
export type Costs<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Measures contenders in turns, so that a slow machine affects all of them. The order changes from round to round and is
 * the same in each run. Before each sample, the young generation is collected if the process runs with `--expose-gc`.
 * A full collection would also discard compiled code that has not run recently, which is that of all other contenders.
 */
export async function compare<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  { samples, warmUp, time = 'clock' }: CompareOptions,
): Promise<Costs<Name>> {
  const now = time === 'clock' ? () => performance.now() : toBusyTime;
  const entries = Object.entries<Contender>(contenders);
  const random = createRandom(entries.length);
  const costs = Object.fromEntries(entries.map(([name]) => [name, [] as number[]]));
  for (let round = -warmUp; round < samples; round++) {
    for (const [name, contender] of toShuffled(entries, random)) {
      globalThis.gc?.({ type: 'minor' });
      const startedAt = now();
      const cost = await contender();
      if (round >= 0) costs[name]?.push(cost ?? now() - startedAt);
    }
  }
  return costs as Record<Name, number[]>;
}

const toShuffled = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

/** Returns the CPU time of the process in milliseconds. */
function toBusyTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the median of the cost ratios of all samples. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((cost, index) => cost / (theirs[index] ?? Number.NaN)));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
