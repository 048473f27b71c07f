import { describeGoal, describeValue, isMet } from './figure.js';
import type { SectionFigures } from './run-benchmarks.js';

export interface TableOptions {
  readonly machine: string;
  /** Omits figures without a goal. @default false */
  readonly onlyGoals?: boolean;
}

/** Formats the figures as a Markdown table. */
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
  const head = ['section', 'measurement', 'compared to', 'result', 'ours / theirs', 'goal', ''];
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
  return [`Medians of alternating samples on ${machine}.`, '', ...lines].join('\n');
}
