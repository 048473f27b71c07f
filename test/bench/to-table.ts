import { describeGoal, describeValue, isMet } from './figure.js';
import type { SectionFigures } from './run-benchmarks.js';

export interface TableOptions {
  readonly machine: string;
  /** Leaves out what only informs. @default false */
  readonly onlyGoals?: boolean;
}

/** The figures as a table in Markdown. */
export function toTable(
  results: readonly SectionFigures[],
  { machine, onlyGoals = false }: TableOptions,
): string {
  const rows = results.flatMap(({ section, figures }) =>
    figures
      .filter(({ goal }) => goal !== undefined || !onlyGoals)
      .map(figure => {
        const met = isMet(figure);
        const verdict = met === undefined ? '' : met ? 'met' : '**missed**';
        return [
          section,
          figure.name,
          figure.rival,
          describeValue(figure),
          figure.measured,
          describeGoal(figure),
          verdict,
        ];
      }),
  );
  const head = ['section', 'what', 'beside', 'figure', 'ours / theirs', 'goal', ''];
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
  return [`Medians, measured in turns on ${machine}.`, '', ...lines].join('\n');
}
