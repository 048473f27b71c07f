import { describeGoal, describeValue, isMet } from './figure.js';
import type { SectionFigures } from './run-benchmarks.js';

/** Formats the figures of one run as a Markdown table. The circumstances are those of the run. */
export function toTable(results: readonly SectionFigures[], circumstances: string): string {
  const rows = results.flatMap(({ section, figures }) =>
    figures.map(figure => {
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
  return [`Medians of alternating samples in one run. ${circumstances}`, '', ...lines].join('\n');
}
