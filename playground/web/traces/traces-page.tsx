import { useEffect, useState } from 'react';
import { formatCost, toCost } from '../../shared/cost.js';
import type { PriceTable } from '../../shared/playground-state.js';
import {
  filterTraces,
  TRACE_ORDERS,
  type TraceFilter,
  type TraceOrder,
  type TraceSummary,
  toPercentile,
} from '../../shared/trace-summary.js';
import type { TracedApp } from '../../shared/trace-event.js';
import { callApi } from '../page/api.js';
import { navigate, paths, toLink, useQueryValue } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { Field } from '../ui/field.js';
import { formatAge, formatCount, formatDuration, formatNumberOf } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { Empty, Loading, LoadingFailed } from '../ui/list-state.js';

/** Rows that are added at once. A browser draws thousands of rows slowly. */
const PAGE_SIZE = 200;

/** All turns of all conversations: a table with filters in the address, and the replay of a bug report. */
export function TracesPage({
  page: { conversations, state },
}: {
  page: Pick<PageHook, 'conversations' | 'state'>;
}) {
  const [traces, setTraces] = useState<readonly TraceSummary[]>();
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(1);
  const [checked, setChecked] = useState<readonly string[]>([]);
  const [count, setCount] = useState(PAGE_SIZE);
  const filters = useFilters();
  const [sort, setSort] = useQueryValue('sort');
  const prices = state?.prices ?? {};
  useEffect(() => {
    const controller = new AbortController();
    callApi<readonly TraceSummary[]>('/traces', { signal: controller.signal }).then(
      list => {
        setTraces(list);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
      },
    );
    return () => controller.abort();
    // The list of conversations changes with every stored turn.
  }, [conversations, attempt]);
  const found = sortTraces(filterTraces(traces ?? [], filters.filter), sort, prices);
  const [first, second] = checked;
  return (
    <main className="content traces">
      <header className="content-head">
        <h2>Traces</h2>
        <button
          type="button"
          className="button primary"
          disabled={first === undefined || second === undefined}
          title="Select two turns of the table"
          onClick={() => navigate(paths.comparison(first ?? '', second ?? ''))}
        >
          <Icon name="compare" /> Compare
        </button>
      </header>
      <TraceFilters traces={traces ?? []} {...filters} />
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
      {failure !== undefined ? (
        <LoadingFailed onRetry={() => setAttempt(attempt + 1)}>
          The traces were not loaded: {failure}
        </LoadingFailed>
      ) : traces === undefined ? (
        <Loading what="traces" />
      ) : (
        <p className="quiet" role="status">
          {found.length} of {formatNumberOf(traces.length, 'turn')}
        </p>
      )}
      {traces?.length === 0 && (
        <Empty action={<a {...toLink('/chats')}>Start a chat</a>}>
          No turns yet. Each turn of a chat is listed here when it has ended.
        </Empty>
      )}
      {found.length > 0 && <Percentiles traces={found} prices={prices} />}
      {found.length > 0 && (
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
                  <SortHeader key={order} order={order} title={title} sort={sort} onSort={setSort} />
                ))}
              </tr>
            </thead>
            <tbody>
              {found.slice(0, count).map(trace => (
                <TraceRow
                  key={trace.messageId}
                  trace={trace}
                  prices={prices}
                  isChecked={checked.includes(trace.messageId)}
                  onCheck={isChecked =>
                    setChecked(known =>
                      isChecked
                        ? [...known, trace.messageId].slice(-2)
                        : known.filter(id => id !== trace.messageId),
                    )
                  }
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > count && (
        <button type="button" className="button" onClick={() => setCount(count + PAGE_SIZE)}>
          Show {Math.min(PAGE_SIZE, found.length - count)} more
        </button>
      )}
      <ReplayField onStart={id => navigate(paths.chat(id))} onProblem={setProblem} />
    </main>
  );
}

const columns: readonly (readonly [TraceOrder, string])[] = [
  ['started', 'Started'],
  ['duration', 'Duration'],
  ['first-token', 'First token'],
  ['tokens', 'Tokens'],
  ['cost', 'Cost'],
];

/** The cost of a turn in US dollars, or undefined if its price or its tokens are unknown. */
function toAmount({ usage }: TraceSummary, prices: PriceTable): number | undefined {
  const cost = toCost([usage], prices);
  return cost.unknown > 0 ? undefined : cost.amount;
}

const readers: Readonly<Record<TraceOrder, (trace: TraceSummary, prices: PriceTable) => number | undefined>> =
  {
    started: ({ startedAt }) => (startedAt === undefined ? undefined : Date.parse(startedAt)),
    duration: ({ duration }) => duration,
    'first-token': ({ firstTokenAt }) => firstTokenAt,
    tokens: ({ tokens }) => tokens,
    cost: toAmount,
  };

/** @param sort A column for the largest value first, or `-` and a column for the smallest first. */
function sortTraces(
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
      <td className="number">
        {amount === undefined ? '–' : formatCost(toCost([trace.usage], prices), { turns: 1 })}
      </td>
    </tr>
  );
}

/** The name of an application with its process. */
const describeApp = ({ name, process }: TracedApp): string =>
  process === undefined ? name : `${name} (${process})`;

/** The middle and the slow end of the filtered turns, and what they cost. */
function Percentiles({ traces, prices }: { traces: readonly TraceSummary[]; prices: PriceTable }) {
  const time = (values: readonly number[], share: number): string => {
    const value = toPercentile(values, share);
    return value === undefined ? '–' : formatDuration(value);
  };
  const durations = traces.map(({ duration }) => duration);
  const tokens = traces.flatMap(({ firstTokenAt }) => firstTokenAt ?? []);
  const amounts = traces.flatMap(trace => toAmount(trace, prices) ?? []);
  const money = (share: number): string => {
    const amount = toPercentile(amounts, share);
    return amount === undefined ? '–' : formatCost({ amount, isPartial: false, unknown: 0 }, { turns: 1 });
  };
  const facts: readonly (readonly [string, string])[] = [
    ['Duration p50', time(durations, 0.5)],
    ['Duration p95', time(durations, 0.95)],
    ['First token p50', time(tokens, 0.5)],
    ['First token p95', time(tokens, 0.95)],
    ['Cost p50', money(0.5)],
    ['Cost p95', money(0.95)],
    [
      'Total cost',
      formatCost(
        toCost(
          traces.map(({ usage }) => usage),
          prices,
        ),
        { turns: traces.length },
      ),
    ],
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

interface Filters {
  readonly filter: TraceFilter;
  readonly change: Readonly<Record<keyof TraceFilter, (value: string) => void>>;
}

/** The filters in the query of the address. */
function useFilters(): Filters {
  const [text, setText] = useQueryValue('q');
  const [outcome, setOutcome] = useQueryValue('result');
  const [minDuration, setMinDuration] = useQueryValue('duration');
  const [minTokens, setMinTokens] = useQueryValue('tokens');
  const [toolName, setToolName] = useQueryValue('tool');
  const [modelId, setModelId] = useQueryValue('model');
  return {
    filter: {
      text,
      outcome: outcomes.find(([value]) => value === outcome)?.[0] ?? 'all',
      minDuration: Number(minDuration) || 0,
      minTokens: Number(minTokens) || 0,
      toolName,
      modelId,
    },
    change: {
      text: setText,
      outcome: value => setOutcome(value === 'all' ? '' : value),
      minDuration: setMinDuration,
      minTokens: setMinTokens,
      toolName: setToolName,
      modelId: setModelId,
    },
  };
}

const outcomes: readonly (readonly [TraceFilter['outcome'], string])[] = [
  ['all', 'All'],
  ['error', 'With errors'],
  ['finished', 'Finished'],
  ['limit', 'Limit reached'],
  ['stopped', 'Stopped'],
  ['failed', 'Failed'],
  ['aborted', 'Aborted'],
];

function TraceFilters({ traces, filter, change }: Filters & { traces: readonly TraceSummary[] }) {
  const unique = (names: readonly string[]) =>
    [...new Set(names)].toSorted().map(name => [name, name] as const);
  const choices = [
    ['outcome', 'Result', outcomes],
    ['modelId', 'Model', [['', 'Any'], ...unique(traces.flatMap(({ modelId }) => modelId ?? []))]],
    [
      'toolName',
      'Called tool',
      [['', 'Any or none'], ...unique(traces.flatMap(({ tools }) => tools.map(({ toolName }) => toolName)))],
    ],
  ] as const;
  const numbers = [
    ['minDuration', 'Milliseconds, at least'],
    ['minTokens', 'Tokens, at least'],
  ] as const;
  return (
    <div className="trace-filters">
      <input
        className="input"
        type="search"
        aria-label="Search traces"
        placeholder="Search titles, models, endpoints, tools and errors"
        value={filter.text}
        onChange={event => change.text(event.target.value)}
      />
      {choices.map(([name, label, options]) => (
        <Field key={name} label={label}>
          {props => (
            <select
              {...props}
              className="input"
              value={filter[name]}
              onChange={event => change[name](event.target.value)}
            >
              {options.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
      {numbers.map(([name, label]) => (
        <Field key={name} label={label}>
          {props => (
            <input
              {...props}
              className="input"
              type="number"
              min={0}
              value={filter[name] || ''}
              onChange={event => change[name](event.target.value)}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

interface ReplayFieldProps {
  readonly onStart: (conversationId: string) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** Runs the turn of a bug report again with its recorded responses. */
function ReplayField({ onStart, onProblem }: ReplayFieldProps) {
  const [report, setReport] = useState<{ readonly turns?: readonly unknown[] }>();
  const [turn, setTurn] = useState(0);
  const read = async (file: File | undefined): Promise<void> => {
    setReport(undefined);
    setTurn(0);
    onProblem(undefined);
    if (file === undefined) return;
    try {
      setReport(JSON.parse(await file.text()) as { turns?: readonly unknown[] });
    } catch {
      onProblem(`Expected the JSON file of a bug report, got ${file.name}, which is not JSON.`);
    }
  };
  const start = async (): Promise<void> => {
    try {
      const body = { report, turn };
      onStart(
        (await callApi<{ conversationId: string }>('/traces/replay', { method: 'POST', body }))
          .conversationId,
      );
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const count = Array.isArray(report?.turns) ? report.turns.length : 0;
  return (
    <Field
      label="Replay a bug report"
      hint="The emulator sends the recorded responses. Each tool call waits for your approval."
    >
      {props => (
        <div className="button-row">
          <input
            {...props}
            className="input"
            type="file"
            accept="application/json,.json"
            onChange={event => void read(event.target.files?.[0])}
          />
          {count > 1 && (
            <select
              className="input"
              aria-label="Turn of the report"
              value={turn}
              onChange={event => setTurn(Number(event.target.value))}
            >
              {Array.from({ length: count }, (_, index) => (
                <option key={index} value={index}>
                  Turn {index + 1}
                </option>
              ))}
            </select>
          )}
          <button
            type="button"
            className="button"
            disabled={report === undefined}
            onClick={() => void start()}
          >
            Replay
          </button>
        </div>
      )}
    </Field>
  );
}
