import { createRandom } from '../_chunking.js';

export interface Contender {
  /** Does the work once, and tells what it cost where that is neither of the times that `CompareOptions` knows. */
  (): Promise<number | void>;
}

export interface CompareOptions {
  readonly samples: number;
  readonly warmUp: number;
  /**
   * What time is taken of: `clock` is what passes, `processor` what the process is busy, which on a machine with other
   * work is the fairer one for what waits for nothing.
   * @default 'clock'
   */
  readonly time?: 'clock' | 'processor';
}

/** What each contender cost, sample by sample. Costs of one index were measured right after each other. */
export type Costs<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Measures contenders in turns, so that whatever slows the machine down slows all of them down. Their order differs from
 * round to round, the same in each run: nobody always comes after the same. Each begins without young garbage of another
 * where the process may collect. A full collection would be fairer still, but with it the engine also throws away code
 * that has not run for a while, which is all but one's.
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
      const told = await contender();
      if (round >= 0) costs[name]?.push(told ?? now() - startedAt);
    }
  }
  return costs as Record<Name, number[]>;
}

const toShuffled = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

/** How long the process has been busy, in milliseconds. */
function toBusyTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The median of what one contender costs in units of another, sample by sample. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((cost, index) => cost / (theirs[index] ?? Number.NaN)));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
