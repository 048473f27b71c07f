import { median, ratioOf } from './compare.js';

/** One result of a section. */
export interface Figure {
  readonly name: string;
  readonly rival: string;
  readonly value: number;
  readonly unit: Unit;
  /** The required value. A figure without a goal is informative. */
  readonly goal?: Goal;
  /** Both measured sides for the reader: '12.1 ms / 58.3 ms'. */
  readonly measured: string;
}

/** `faster`: the rival's cost divided by ours; `of`: our cost divided by the rival's. */
type Unit = 'faster' | 'of' | 'ms' | 'KB' | 'MB' | 'files';

type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Costs of both sides in milliseconds, by sample. */
interface Sides {
  readonly name: string;
  readonly rival: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Converts costs to a speed: how many times faster than the rival. */
export const toSpeed = (sides: Sides, atLeast?: number): Figure => ({
  ...toNames(sides),
  value: ratioOf(sides.theirs, sides.ours),
  unit: 'faster',
  ...(atLeast !== undefined && { goal: { atLeast } }),
});

/** Converts costs to a share: our cost in units of the rival's. */
export const toShare = (sides: Sides, atMost?: number): Figure => ({
  ...toNames(sides),
  value: ratioOf(sides.ours, sides.theirs),
  unit: 'of',
  ...(atMost !== undefined && { goal: { atMost } }),
});

const toNames = ({ name, rival, ours, theirs }: Sides) => ({
  name,
  rival,
  measured: `${toMilliseconds(median(ours))} / ${toMilliseconds(median(theirs))}`,
});

const toMilliseconds = (milliseconds: number): string => `${round(milliseconds)} ms`;

export function isMet({ value, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

/** Formats the value with its unit for the table. */
export function describeValue({ value, unit }: Pick<Figure, 'value' | 'unit'>): string {
  switch (unit) {
    case 'faster':
      return `${value.toFixed(2)} × faster`;
    case 'of':
      return `${value.toFixed(2)} ×`;
    case 'ms':
      return toMilliseconds(value);
    case 'files':
      return `${value} files`;
    default:
      return `${value.toFixed(1)} ${unit}`;
  }
}

export function describeGoal({ goal, unit }: Figure): string {
  if (goal === undefined) return '';
  const sign = 'atLeast' in goal ? '≥' : '≤';
  const limit = 'atLeast' in goal ? goal.atLeast : goal.atMost;
  return `${sign} ${limit}${unit === 'faster' || unit === 'of' ? ' ×' : ` ${unit}`}`;
}

/** Rounds to three significant digits. */
const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
