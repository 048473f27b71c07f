import { it } from 'vitest';

/*
 * Tables of majors, modes, transports, wrappers and the like. A fault depends on one value, or on a few values together:
 * - `npm test` runs as many rows as it takes for each value, or each pair of values, to occur.
 * - `npm run test:products` runs each pair where that runs each value, and each three values where that runs each pair.
 */
export const isWhole = process.env.PRODUCTS === 'all';

type Dimensions = Readonly<Record<string, readonly unknown[]>>;

/** A combination of one value of each dimension. */
type Combination<Each extends Dimensions> = { readonly [Name in keyof Each]: Each[Name][number] };

/** Returns combinations in which each pair of values of two dimensions occurs, or each three values with all products. */
export const combine = <const Each extends Dimensions>(dimensions: Each): Combination<Each>[] =>
  everyPair(multiply(dimensions));

/** Returns rows in which each pair of values of two columns occurs, or each three values with all products. */
export const everyPair = <Row extends object>(rows: readonly Row[]): Row[] =>
  cover(rows, isWhole ? triplesOf : pairsOf);

/** Returns rows in which each value of each column occurs, or each pair of values with all products. */
export const everyValue = <Row extends object>(rows: readonly Row[]): Row[] =>
  cover(rows, isWhole ? pairsOf : values => values);

/** Returns the newest of the rows, for scenarios that differ only in a major of `ai`. */
export const newest = <Row>(rows: readonly Row[]): readonly Row[] => (isWhole ? rows : rows.slice(-1));

/**
 * Returns every `step`th of many similar rows, for positions of a cut and the like. A step that shares no factor with the
 * lengths of the tables behind the rows meets each of their values.
 */
export const everyNth = <Row>(rows: readonly Row[], step: number, first = 0): readonly Row[] =>
  isWhole ? rows : rows.filter((_, index) => index % step === first % step);

/**
 * Returns a function that defines a test for combinations. Each value of each dimension occurs in each test, and each
 * pair of values within a few tests. With all products, each pair of values occurs in each test.
 */
export function eachOf<const Each extends Dimensions>(dimensions: Each) {
  const entries = Object.entries(dimensions);
  const count = Math.max(...entries.map(([, values]) => values.length));
  const pairs = isWhole ? everyValue(multiply(dimensions)) : [];
  let turn = 0;
  const shift = (): Combination<Each>[] => {
    turn++;
    return Array.from({ length: count }, (_, row) =>
      Object.fromEntries(
        entries.map(([name, values], index) => [name, values[(row + index * turn) % values.length]]),
      ),
    ) as Combination<Each>[];
  };
  return (title: string, test: (combination: Combination<Each>) => Promise<void> | void): void =>
    it.each(isWhole ? pairs : shift())(title, test);
}

function multiply<Each extends Dimensions>(dimensions: Each): Combination<Each>[] {
  return Object.entries(dimensions).reduce<Record<string, unknown>[]>(
    (rows, [name, values]) => rows.flatMap(row => values.map(value => ({ ...row, [name]: value }))),
    [{}],
  ) as Combination<Each>[];
}

const pairsOf = (values: readonly string[]): string[] =>
  values.flatMap((one, index) => values.slice(index + 1).map(other => `${one} ${other}`));

/** Returns the groups of three. Fewer values are one group. */
const triplesOf = (values: readonly string[]): string[] =>
  values.length < 3
    ? [values.join(' ')]
    : values.flatMap((one, index) => pairsOf(values.slice(index + 1)).map(pair => `${one} ${pair}`));

/** Takes the row with the most groups of values that no row has yet, until none is missing. */
function cover<Row extends object>(
  rows: readonly Row[],
  toGroups: (values: readonly string[]) => readonly string[],
): Row[] {
  const numbers = new Map<unknown, number>();
  const numberOf = (value: unknown): number => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
  const groups = rows.map(row =>
    toGroups(Object.entries(row).map(([name, value]) => `${name}=${numberOf(value)}`)),
  );
  /** The rows by the groups that no chosen row has. */
  const missing = new Map<string, number[]>();
  for (const [row, own] of groups.entries())
    for (const group of own) {
      const sharing = missing.get(group);
      if (sharing === undefined) missing.set(group, [row]);
      else sharing.push(row);
    }
  const gains = groups.map(({ length }) => length);
  const chosen = new Set<number>();
  while (missing.size > 0) {
    const best = gains.reduce((highest, gain, row) => (gain > (gains[highest] ?? 0) ? row : highest), 0);
    chosen.add(best);
    for (const group of groups[best] ?? []) {
      for (const row of missing.get(group) ?? []) gains[row] = (gains[row] ?? 0) - 1;
      missing.delete(group);
    }
  }
  return rows.filter((_, index) => chosen.has(index));
}
