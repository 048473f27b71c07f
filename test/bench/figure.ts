import { median, ratioOf } from './compare.js';

/** What a section of the benchmark finds out. */
export interface Figure {
  readonly name: string;
  readonly rival: string;
  readonly value: number;
  readonly unit: Unit;
  /** What is asked for; a figure without a goal only informs. */
  readonly goal?: Goal;
  /** Both sides as they were measured, for the reader: '12.1 ms / 58.3 ms'. */
  readonly measured: string;
}

/** `faster`: how many times less than the rival; `of`: how many times what the rival costs. */
type Unit = 'faster' | 'of' | 'KB' | 'MB';

type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** What is measured of: costs in milliseconds, sample by sample. */
interface Sides {
  readonly name: string;
  readonly rival: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** How many times faster than a rival. */
export const toSpeed = (sides: Sides, atLeast?: number): Figure => ({
  ...toNames(sides),
  value: ratioOf(sides.theirs, sides.ours),
  unit: 'faster',
  ...(atLeast !== undefined && { goal: { atLeast } }),
});

/** What it costs in units of what a rival costs. */
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

/** The value with its unit, as a table has it. */
export function describeValue({ value, unit }: Pick<Figure, 'value' | 'unit'>): string {
  switch (unit) {
    case 'faster':
      return `${value.toFixed(2)} × faster`;
    case 'of':
      return `${value.toFixed(2)} ×`;
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

/** Three digits that count. */
const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
