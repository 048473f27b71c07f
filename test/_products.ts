import { it } from 'vitest';

/*
 * Tables of majors, modes, transports, wrappers and the like. `npm test` runs as many of their rows as it takes for each
 * pair of values to occur. `npm run test:products` runs all rows.
 */
export const isWhole = process.env.PRODUCTS === 'all';

type Dimensions = Readonly<Record<string, readonly unknown[]>>;

/** A combination of one value of each dimension. */
type Combination<Each extends Dimensions> = { readonly [Name in keyof Each]: Each[Name][number] };

/** Returns combinations in which each pair of values of two dimensions occurs. */
export const combine = <const Each extends Dimensions>(dimensions: Each): Combination<Each>[] =>
  everyPair(multiply(dimensions));

/** Returns rows in which each pair of values of two columns occurs. */
export const everyPair = <Row extends object>(rows: readonly Row[]): Row[] =>
  choose(rows, values =>
    values.flatMap((one, index) => values.slice(index + 1).map(other => `${one} ${other}`)),
  );

/** Returns rows in which each value of each column occurs. */
export const everyValue = <Row extends object>(rows: readonly Row[]): Row[] => choose(rows, values => values);

/**
 * Returns rows in which each value of each column occurs, or with all products each three values of three columns: for
 * tables whose rows are a hundred turns each.
 */
export const everyTriple = <Row extends object>(rows: readonly Row[]): Row[] =>
  isWhole
    ? cover(rows, values =>
        values.flatMap((one, index) =>
          values
            .slice(index + 1)
            .flatMap((two, next) => values.slice(index + next + 2).map(three => `${one} ${two} ${three}`)),
        ),
      )
    : everyValue(rows);

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
 * pair of values within a few tests.
 */
export function eachOf<const Each extends Dimensions>(dimensions: Each) {
  const product = multiply(dimensions);
  const entries = Object.entries(dimensions);
  const count = Math.max(...entries.map(([, values]) => values.length));
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
    it.each(isWhole ? product : shift())(title, test);
}

function multiply<Each extends Dimensions>(dimensions: Each): Combination<Each>[] {
  return Object.entries(dimensions).reduce<Record<string, unknown>[]>(
    (rows, [name, values]) => rows.flatMap(row => values.map(value => ({ ...row, [name]: value }))),
    [{}],
  ) as Combination<Each>[];
}

const choose: typeof cover = (rows, toGoals) => (isWhole ? [...rows] : cover(rows, toGoals));

/** Takes the row with the most that no row has yet, until nothing is missing. */
function cover<Row extends object>(rows: readonly Row[], toGoals: (values: string[]) => string[]): Row[] {
  const numbers = new Map<unknown, number>();
  const numberOf = (value: unknown): number => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
  const goals = rows.map(row =>
    toGoals(Object.entries(row).map(([name, value]) => `${name}=${numberOf(value)}`)),
  );
  const missing = new Set(goals.flat());
  const chosen = new Set<number>();
  while (missing.size > 0) {
    const gains = goals.map(goal => goal.filter(one => missing.has(one)).length);
    const best = gains.indexOf(Math.max(...gains));
    chosen.add(best);
    for (const one of goals[best] ?? []) missing.delete(one);
  }
  return rows.filter((_, index) => chosen.has(index));
}
