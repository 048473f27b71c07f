import { Fragment } from 'react';
import { formatCost, toTurnUsages } from '../../shared/cost.js';
import type { PriceTable } from '../../shared/playground-state.js';
import type { Trace } from '../../shared/trace.js';
import { describeStreamProblem } from '../traces/stream-problem.js';
import { RunDifferences, RunHeadings } from './run-differences.js';
import { compareTraces } from './trace-comparison.js';

export interface ComparisonTableProps {
  readonly label: string;
  readonly heading: string;
  /** True if the differences by items are open at first. @default false */
  readonly isOpen?: boolean;
  readonly traces: readonly [Trace, Trace];
  readonly titles: readonly [string, string];
  readonly prices: PriceTable;
}

/** Compares two turns: their facts, and what they sent and received. */
export function ComparisonTable({
  label,
  heading,
  isOpen = false,
  traces,
  titles,
  prices,
}: ComparisonTableProps) {
  const costs = traces.map(trace => formatCost(toTurnUsages(trace), prices));
  const deleted = titles.filter((_, index) => traces[index]?.isRecordingDeleted);
  return (
    <div className="comparison" tabIndex={0} role="region" aria-label={label}>
      <table>
        <RunHeadings heading={heading} titles={titles} />
        <tbody>
          {compareTraces(...traces).map(({ title, values, isDifferent }) => (
            <tr key={title} data-different={isDifferent}>
              <th scope="row">{title}</th>
              {values.map((value, index) => (
                <td key={index}>{toBreakable(value)}</td>
              ))}
            </tr>
          ))}
          <tr data-different={costs[0] !== costs[1]}>
            <th scope="row">Cost</th>
            {costs.map((cost, index) => (
              <td key={index}>{cost}</td>
            ))}
          </tr>
        </tbody>
      </table>
      {traces.flatMap(({ problems }, index) =>
        problems.map((problem, place) => (
          <p key={`${index} ${place}`} className="note warning">
            {titles[index]}: {describeStreamProblem(problem)}
          </p>
        )),
      )}
      {deleted.length > 0 ? (
        <p className="note">
          The items cannot be compared: the recording of {deleted.join(' and of ')} was deleted, by age or
          size as set.
        </p>
      ) : (
        <details
          className="run-differences"
          open={isOpen}
          onToggle={({ currentTarget }) => {
            if (currentTarget.open && !isOpen) currentTarget.scrollIntoView({ block: 'start' });
          }}
        >
          <summary>Differences by items</summary>
          <RunDifferences traces={traces} titles={titles} />
        </details>
      )}
    </div>
  );
}

/** Allows names of events and tools to continue on the next line after each of their words. */
const toBreakable = (text: string) =>
  text.split(/(?<=[_.-])(?=[a-z])/).map((word, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {word}
    </Fragment>
  ));
