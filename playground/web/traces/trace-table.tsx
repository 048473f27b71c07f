import { Fragment } from 'react';
import { formatAmount, formatCost } from '../../shared/cost.js';
import type { PriceTable } from '../../shared/playground-state.js';
import {
  type NestedRun,
  TRACE_ORDERS,
  type TraceOrder,
  type TraceSummary,
  toAmount,
  toPercentile,
} from '../../shared/trace-summary.js';
import type { TracedApp } from '../../shared/trace-event.js';
import { paths, toLink } from '../page/routes.js';
import { formatAge, formatCount, formatDuration, formatNumberOf } from '../ui/format.js';

const columns: readonly (readonly [TraceOrder, string])[] = [
  ['started', 'Started'],
  ['duration', 'Duration'],
  ['first-token', 'First token'],
  ['tokens', 'Tokens'],
  ['cost', 'Cost'],
];

const readers: Readonly<Record<TraceOrder, (trace: TraceSummary, prices: PriceTable) => number | undefined>> =
  {
    started: ({ startedAt }) => (startedAt === undefined ? undefined : Date.parse(startedAt)),
    duration: ({ duration }) => duration,
    'first-token': ({ firstTokenAt }) => firstTokenAt,
    tokens: ({ tokens }) => tokens,
    cost: toAmount,
  };

/** @param sort A column for the largest value first, or `-` and a column for the smallest first. */
export function sortTraces(
  traces: readonly TraceSummary[],
  sort: string,
  prices: PriceTable,
): readonly TraceSummary[] {
  const order = TRACE_ORDERS.find(name => name === sort.replace(/^-/, ''));
  if (order === undefined) return traces;
  const sign = sort.startsWith('-') ? 1 : -1;
  // Unknown values are last in both directions.
  const read = (trace: TraceSummary): number => readers[order](trace, prices) ?? -sign * -Infinity;
  return traces.toSorted((a, b) => {
    const [one, other] = [read(a), read(b)];
    return one === other ? 0 : sign * (one - other);
  });
}

interface TraceTableProps {
  readonly traces: readonly TraceSummary[];
  readonly prices: PriceTable;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** The selected turns, at most two. */
  readonly checked: readonly string[];
  readonly onCheck: (checked: readonly string[]) => void;
}

export function TraceTable({ traces, prices, sort, onSort, checked, onCheck }: TraceTableProps) {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Table of traces">
      <table className="trace-table" aria-label="Traces">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">Compare</span>
            </th>
            <th scope="col">Turn</th>
            <th scope="col">Result</th>
            <th scope="col">Model</th>
            <th scope="col">Tools</th>
            {columns.map(([order, title]) => (
              <SortHeader key={order} order={order} title={title} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {traces.map(trace => (
            <Fragment key={trace.messageId}>
              <TraceRow
                trace={trace}
                prices={prices}
                isChecked={checked.includes(trace.messageId)}
                onCheck={isChecked =>
                  onCheck(
                    isChecked
                      ? [...checked, trace.messageId].slice(-2)
                      : checked.filter(id => id !== trace.messageId),
                  )
                }
              />
              {trace.nested.map((run, index) => (
                <NestedRow key={index} trace={trace} run={run} prices={prices} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeaderProps {
  readonly order: TraceOrder;
  readonly title: string;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function SortHeader({ order, title, sort, onSort }: SortHeaderProps) {
  const direction = sort === order ? 'descending' : sort === `-${order}` ? 'ascending' : undefined;
  return (
    <th scope="col" className="number" aria-sort={direction ?? 'none'}>
      <button type="button" onClick={() => onSort(direction === 'descending' ? `-${order}` : order)}>
        {title}
        <span aria-hidden="true">{{ descending: ' ↓', ascending: ' ↑', none: '' }[direction ?? 'none']}</span>
      </button>
    </th>
  );
}

interface TraceRowProps {
  readonly trace: TraceSummary;
  readonly prices: PriceTable;
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}

function TraceRow({ trace, prices, isChecked, onCheck }: TraceRowProps) {
  const { messageId, title, end, hasError, flag, app, modelId, tools, startedAt, duration, firstTokenAt } =
    trace;
  const amount = toAmount(trace, prices);
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Select “${title}”`}
          checked={isChecked}
          onChange={event => onCheck(event.target.checked)}
        />
      </td>
      <th scope="row">
        <a {...toLink(paths.trace(messageId))}>{title}</a>
      </th>
      <td>
        <span className="state-badge" data-state={end}>
          {end}
        </span>
        {hasError && end !== 'failed' && <span className="tag">with errors</span>}
        {trace.isRecordingDeleted && <span className="tag">recording deleted</span>}
      </td>
      <td className="name">{[app && describeApp(app), flag, modelId].filter(Boolean).join(' · ')}</td>
      <td>
        {tools.map(({ toolName, calls }) => (
          <span key={toolName} className="name">
            {calls === 1 ? toolName : `${toolName} × ${calls}`}{' '}
          </span>
        ))}
      </td>
      <td className="number">{startedAt === undefined ? '–' : formatAge(startedAt)}</td>
      <td className="number">{formatDuration(duration)}</td>
      <td className="number">{firstTokenAt === undefined ? '–' : formatDuration(firstTokenAt)}</td>
      <td className="number">{formatCount(trace.tokens)}</td>
      <td className="number">{amount === undefined ? '–' : formatCost(trace.usages, prices)}</td>
    </tr>
  );
}

/** Pixels of the indent of a nested run, and the level from which it stays. */
const INDENT = 16;
const MAX_DEPTH = 4;

/** A run that a tool of the turn above made. Its link opens the first of its requests there. */
function NestedRow({
  trace: { messageId, title, startedAt },
  run,
  prices,
}: Pick<TraceRowProps, 'trace' | 'prices'> & { run: NestedRun }) {
  const { toolName, depth, state, modelId, rounds, startAt, duration, tokens, usages, exchange } = run;
  const amount = toAmount(run, prices);
  return (
    <tr data-nested="true">
      <td />
      <th scope="row" style={{ paddingLeft: 8 + Math.min(depth, MAX_DEPTH) * INDENT }}>
        <a {...toLink(paths.trace(messageId, exchange))}>
          in {toolName}
          <span className="hidden"> of “{title}”</span>
        </a>
      </th>
      <td>
        <span className="state-badge" data-state={state}>
          {state}
        </span>
      </td>
      <td className="name">{modelId}</td>
      <td className="quiet">{formatNumberOf(rounds, 'round')}</td>
      <td className="number">
        {startedAt === undefined ? '–' : formatAge(new Date(Date.parse(startedAt) + startAt).toISOString())}
      </td>
      <td className="number">{formatDuration(duration)}</td>
      <td className="number">–</td>
      <td className="number">{formatCount(tokens)}</td>
      <td className="number">{amount === undefined ? '–' : formatCost(usages, prices)}</td>
    </tr>
  );
}

/** The name of an application with its process. */
const describeApp = ({ name, process }: TracedApp): string =>
  process === undefined ? name : `${name} (${process})`;

/** The middle and the slow end of the filtered turns, and what they cost. */
export function Percentiles({ traces, prices }: { traces: readonly TraceSummary[]; prices: PriceTable }) {
  const time = (values: readonly number[], share: number): string => {
    const value = toPercentile(values, share);
    return value === undefined ? '–' : formatDuration(value);
  };
  const durations = traces.map(({ duration }) => duration);
  const tokens = traces.flatMap(({ firstTokenAt }) => firstTokenAt ?? []);
  const amounts = traces.flatMap(trace => toAmount(trace, prices) ?? []);
  const usages = traces.flatMap(trace => trace.usages);
  const money = (share: number): string => {
    const amount = toPercentile(amounts, share);
    return amount === undefined ? '–' : formatAmount(amount);
  };
  const facts: readonly (readonly [string, string])[] = [
    ['Duration p50', time(durations, 0.5)],
    ['Duration p95', time(durations, 0.95)],
    ['First token p50', time(tokens, 0.5)],
    ['First token p95', time(tokens, 0.95)],
    ['Cost p50', money(0.5)],
    ['Cost p95', money(0.95)],
    ['Total cost', formatCost(usages, prices)],
    ['With errors', String(traces.filter(({ hasError }) => hasError).length)],
  ];
  return (
    <dl className="turn-facts">
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
