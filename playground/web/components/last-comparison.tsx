import { Fragment, useMemo } from 'react';
import { formatCost, toCost, toTurnUsage } from '../../shared/cost.js';
import type { PriceTable } from '../../shared/playground-state.js';
import type { Trace } from '../../shared/trace.js';
import { useFullTrace } from '../hooks/use-full-trace.js';
import type { ThreadHook } from '../hooks/use-thread.js';
import { formatNumberOf } from '../lib/format.js';
import { describeStreamProblem } from '../lib/stream-problem.js';
import { compareTraces, diffJson } from '../lib/trace-comparison.js';
import type { ConversationProps } from './conversation-props.js';

export interface LastComparisonProps extends Pick<ConversationProps, 'conversationId' | 'page'> {
  readonly left: ThreadHook;
  readonly right: ThreadHook;
  readonly titles: Readonly<Record<'left' | 'right', string>>;
}

const lastResponse = ({ messages }: ThreadHook) =>
  messages.findLast(({ message }) => message.role === 'assistant');

/** Compares the last responses of both sides. */
export function LastComparison({ left, right, titles, conversationId, page }: LastComparisonProps) {
  const first = useFullTrace(conversationId, lastResponse(left), page.turns)?.trace;
  const second = useFullTrace(conversationId, lastResponse(right), page.turns)?.trace;
  if (first === undefined || second === undefined) return null;
  return (
    <ComparisonTable
      traces={[first, second]}
      titles={[titles.left, titles.right]}
      prices={page.state?.prices ?? {}}
    />
  );
}

interface ComparisonTableProps {
  readonly traces: readonly [Trace, Trace];
  readonly titles: readonly [string, string];
  readonly prices: PriceTable;
}

function ComparisonTable({ traces, titles, prices }: ComparisonTableProps) {
  const costs = traces.map(trace => formatCost(toCost([toTurnUsage(trace)], prices), { turns: 1 }));
  return (
    <div className="comparison" tabIndex={0} role="region" aria-label="Comparison of the last responses">
      <table>
        <thead>
          <tr>
            <th scope="col">Last response</th>
            {titles.map((title, index) => (
              <th key={index} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
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
      <RequestDifferences
        first={traces[0].exchanges[0]?.request.body}
        second={traces[1].exchanges[0]?.request.body}
      />
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

/** Maximum number of displayed differences. */
const MAX_DIFFERENCES = 50;

function RequestDifferences({ first, second }: { first: unknown; second: unknown }) {
  const differences = useMemo(() => diffJson(first, second), [first, second]);
  if (differences.length === 0) return <p className="quiet">Both sides sent the same first request.</p>;
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) currentTarget.scrollIntoView({ block: 'start' });
      }}
    >
      <summary>{formatNumberOf(differences.length, 'difference')} in the first request</summary>
      <table>
        <tbody>
          {differences.slice(0, MAX_DIFFERENCES).map(({ path, first, second }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <code>{toText(first)}</code>
              </td>
              <td>
                <code>{toText(second)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length > MAX_DIFFERENCES && (
        <p className="quiet">and {differences.length - MAX_DIFFERENCES} more</p>
      )}
    </details>
  );
}

const toText = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? '–';
